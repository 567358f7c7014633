#include "cli/plan/plan_question.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/core/result.h"
#include "base/core/units.h"
#include "base/core/version.h"
#include "base/yaml/reader.h"
#include "cli/document/worker_limit.h"
#include "cli/models/worker_memory.h"
#include "cli/plan/kept_profile.h"
#include "cli/plan/member_resources.h"
#include "cli/plan/result_noise.h"
#include "job/document/model_check.h"
#include "job/document/network_of.h"
#include "job/profile/job_profile.h"
#include "job/profile/profile_json.h"
#include "job/profile/profile_use.h"
#include "job/profile/subject.h"
#include "planner/exchange_cost/profiled_step.h"
#include "planner/machines/read.h"

namespace sumac::cli {
namespace {

Error invalid(const std::filesystem::path& file, const std::string& reason) {
  return Error{ErrorCode::kInvalid, file.string() + ": " + reason};
}

Result<JobProfile> profileIn(const std::filesystem::path& file, const ProfileNeed& need) {
  const auto text = readTextFile(file, kMaxProfileBytes);
  if (!text) return text.error();
  auto profile = profileFromJson(*text);
  if (!profile) return profile.error().within(file.string());
  if (const auto reason = whyNot(*profile, need); !reason.empty()) return invalid(file, reason);
  if (profile->batches.empty()) return invalid(file, "the profile has no batches");
  return profile;
}

/// Merges the profiles of `files`: adds to the first one those batches of the others whose samples,
/// parts and threads the earlier ones lack. Takes links and sums from the first. Fails
/// with kInvalid, naming the file, for one that is not what `need` says, or of another machine than
/// the first.
Result<JobProfile> planProfile(const std::vector<std::filesystem::path>& files,
                               const ProfileNeed& need) {
  auto whole = profileIn(files.front(), need);
  for (std::size_t i = 1; whole && i < files.size(); ++i) {
    auto other = profileIn(files[i], need);
    if (!other) return other;
    if (other->machine != whole->machine)
      return invalid(files[i], "the profile is of another machine than " + files.front().string() +
                                   "; give profiles of one machine");
    addBatches(std::move(other->batches), *whole);
  }
  return whole;
}

using Json = nlohmann::ordered_json;

/// As Kubernetes writes them: "2", "0.5", "1500m".
std::optional<double> coresIn(std::string_view text) {
  constexpr double kMilli = 1e-3;
  const bool is_milli = text.ends_with('m');
  if (is_milli) text.remove_suffix(1);
  double cores = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cores);
  if (error != std::errc() || end != text.data() + text.size() || !(cores > 0)) return std::nullopt;
  return is_milli ? kMilli * cores : cores;
}

constexpr const char* kHere = "here";

Error invalid(std::string message) {
  return Error{ErrorCode::kInvalid, std::move(message)};
}

planner::Figure given(double value, const char* option) {
  planner::Figure figure;
  figure.value = value;
  figure.origin = planner::FigureOrigin::kGiven;
  figure.source = option;
  return figure;
}

Result<std::optional<planner::MachineType>> machineOf(const PlanOptions& options) {
  const bool is_typed = !options.machine.empty() && options.machine != kHere;
  if (options.machines.empty()) {
    if (!is_typed) return std::optional<planner::MachineType>();
    return invalid("nothing is known of machine type " + options.machine +
                   ": give a file that describes it with --machines");
  }
  const auto text = readTextFile(options.machines, yaml::kMaxBytes);
  if (!text) return text.error();
  const auto reading =
      planner::readMachineTypes(*text, options.machines.string(), planner::latestToday());
  if (!reading.problems.empty()) return invalid(reading.problems.front().text());
  const auto* const type = planner::findMachineType(reading.types, options.machine);
  if (type != nullptr) return std::optional(*type);
  return invalid(options.machines.string() + " has " +
                 (is_typed ? "no machine type " + options.machine + "; it has " : "the types ") +
                 planner::machineTypeNames(reading.types) + ": name one with --machine");
}

Result<void> addConvolutions(const PlanOptions& options, planner::AdviceQuestion& question) {
  if (options.convolutions.empty()) return {};
  const auto text = readTextFile(options.convolutions, yaml::kMaxBytes);
  if (!text) return text.error();
  auto reading = planner::readGivenCosts(*text, options.convolutions.string());
  if (!reading.costs) return invalid(reading.problems.front().text());
  question.convolutions = *std::move(reading.costs);
  return {};
}

Result<void> addNoise(const PlanOptions& options, const ProfileSubject& subject, AskedPlan& asked) {
  if (options.noise_scale) {
    asked.question.noise =
        planner::NoiseFigure{given(*options.noise_scale, "--noise-scale"), {}, {}};
    return {};
  }
  if (options.result.empty()) return {};
  auto noise = noiseOfResult(options.result, subject);
  if (!noise) return noise.error();
  asked.question.noise = std::move(noise->figure);
  if (noise->note) asked.notes.push_back(*std::move(noise->note));
  return {};
}

/// Images, or words of text, that the document itself says an epoch has.
std::optional<std::int64_t> knownSamples(const job::Reading& reading,
                                         const model::Network& network) {
  if (!network.isText()) {
    const auto document = yaml::fromJson(*reading.resolved);
    return document.root ? job::knownImages(*document.root) : std::nullopt;
  }
  const auto& generated = reading.job->data.generated;
  return generated ? std::optional(generated->train_tokens) : std::nullopt;
}

/// As the worker counts them: what does not fill a mini-batch, or a stream of text, is left out.
std::int64_t stepsOfAnEpoch(std::int64_t samples, std::int64_t batch,
                            const model::Network& network) {
  if (!network.isText()) return samples / batch;
  return std::max<std::int64_t>(0, (samples / batch - 1) / network.input.front());
}

/// Samples, or words, of the data that the document does not tell of, where they are here and the
/// answer depends on them; nothing: they are not here.
Result<std::optional<std::int64_t>> countedSamples(const PlanOptions& options,
                                                   const job::Reading& reading,
                                                   const CountSamples& count) {
  const job::TrainingJob& job = *reading.job;
  const bool has_batches = options.noise_scale || !options.result.empty();
  std::error_code unknown;
  if (options.samples || (job.training.steps && !has_batches) ||
      !std::filesystem::exists(job.data.path, unknown))
    return std::optional<std::int64_t>();
  const auto counted = count(reading.resolved.text());
  if (counted) return std::optional(*counted);
  return Error{counted.error().code, "the samples of " + job.data.path +
                                         " cannot be counted: " + counted.error().message +
                                         "; mend that, or give their number with --samples"};
}

/// Steps of the job, and the largest mini-batch.
Result<void> addSteps(const PlanOptions& options, const job::Reading& reading,
                      const CountSamples& count, planner::AdviceQuestion& question) {
  const job::TrainingSpec& training = reading.job->training;
  const model::Network& network = question.network;
  const std::string what = network.isText() ? "word" : "sample";
  const auto known = knownSamples(reading, network);
  if (options.samples && known && *options.samples != *known)
    return invalid("--samples " + std::to_string(*options.samples) + ": the job's data has " +
                   counted(*known, what) + "; leave --samples out");
  auto samples = known ? known : options.samples;
  if (!samples) {
    const auto counted = countedSamples(options, reading, count);
    if (!counted) return counted.error();
    samples = *counted;
  }
  const std::int64_t each = samples ? stepsOfAnEpoch(*samples, training.batch_size, network) : 0;
  if (options.samples && each == 0)
    return invalid("--samples " + std::to_string(*options.samples) +
                   ": an epoch would have no step, since a mini-batch of " +
                   counted(training.batch_size, "sample") + " takes more " + what + "s");
  if (!training.steps && each == 0)
    return invalid("how many steps an epoch has is not known: give the number of training " + what +
                   "s with --samples (sumac data info prints it), or set training.steps");
  question.steps = training.steps
                       ? static_cast<double>(*training.steps)
                       : static_cast<double>(*training.epochs) * static_cast<double>(each);
  if (!samples) return {};
  question.samples = network.isText() ? *samples / (network.input.front() + 1) : *samples;
  return {};
}

Result<void> checkMoney(const PlanOptions& options,
                        const std::optional<planner::MachineType>& machine) {
  const bool has_price = machine && machine->price_per_hour;
  const bool is_about_cost = options.budget || options.goal == planner::PlanGoal::kCost;
  if (is_about_cost && !has_price)
    return invalid(
        "a cost is asked for, but no price is known: give --machines FILE and --machine "
        "TYPE of one with a price and its source");
  if (options.budget && options.budget->currency != machine->currency)
    return invalid("the budget is in " + options.budget->currency + ", the price of " +
                   machine->name + " in " + machine->currency);
  return {};
}

/// The job with its network.
Result<planner::AdviceQuestion> subjectOfQuestion(const job::Reading& reading) {
  planner::AdviceQuestion question;
  question.job = *reading.job;
  const auto& generated = question.job.data.generated;
  auto network = job::networkOf(question.job, generated ? generated->vocabulary : 0);
  if (!network) return network.error();
  question.network = *std::move(network);
  return question;
}

/// What the command line says of members: links, memory, limits.
void addLimits(const PlanOptions& options, planner::AdviceQuestion& question) {
  if (options.link_bytes_per_second)
    question.link_bytes_per_second = given(*options.link_bytes_per_second, "--link");
  if (options.link_seconds) question.hop_seconds = given(*options.link_seconds, "--latency");
  if (options.member_bytes) {
    question.member_bytes = given(*options.member_bytes, "--memory");
  } else if (question.place == planner::Placement::kHere && machineMemory() > 0) {
    question.member_bytes = given(static_cast<double>(machineMemory()), "this machine");
    question.member_bytes->origin = planner::FigureOrigin::kMeasured;
  }
  question.goal = options.goal;
  question.deadline_seconds = options.deadline_seconds;
  if (options.budget) question.budget = options.budget->amount;
  question.most_workers = options.most_workers;
}

/// The workers of a job that sizes itself: no other number of them is asked for.
Result<void> addBounds(planner::AdviceQuestion& question) {
  if (!question.job.autoscaling) return {};
  job::WorkerSpec& worker = question.job.worker;
  const int least = worker.min_replicas.value_or(1);
  const int most = worker.max_replicas.value_or(least);
  if (question.most_workers < least)
    return invalid("--max-workers " + std::to_string(question.most_workers) +
                   ": spec.autoscaling has at least " + counted(least, "worker") +
                   ", by spec.worker.minReplicas");
  question.least_workers = least;
  question.most_workers = std::min(question.most_workers, most);
  worker.replicas = std::clamp(worker.replicas, least, question.most_workers);
  return {};
}

/// What the links' rates do not do.
void noteLinks(AskedPlan& asked) {
  const planner::AdviceQuestion& question = asked.question;
  auto rate = question.link_bytes_per_second;
  if (!rate && question.machine) rate = question.machine->link_bytes_per_second;
  if (!rate) return;
  if (question.place == planner::Placement::kHere)
    asked.notes.push_back({planner::NoteKind::kLinkOfOneMachine});
  const bool is_encrypted = question.job.transport == job::Transport::kCurve;
  const auto costs = planner::costsOf(question.profile, is_encrypted ? "curve" : "tcp");
  if (!costs || costs->costs.exchange.byte <= 0) return;
  const double measured = 1 / costs->costs.exchange.byte;
  if (rate->value > measured)
    asked.notes.push_back({planner::NoteKind::kLinkBeyondCores, rate->value, measured});
}

}  // namespace

Result<AskedPlan> questionOf(const PlanOptions& options, const job::Reading& reading,
                             const CountSamples& count) {
  if (reading.job->strategy.consistency != job::Consistency::kSynchronous)
    return Error{ErrorCode::kUnsupported, "only synchronous jobs are predicted"};
  auto subject = subjectOfQuestion(reading);
  if (!subject) return subject.error();
  AskedPlan asked{*std::move(subject), {}};
  planner::AdviceQuestion& question = asked.question;
  auto machine = machineOf(options);
  if (!machine) return machine.error();
  if (const auto checked = checkMoney(options, *machine); !checked) return checked.error();
  question.machine = *std::move(machine);
  const ProfileSubject of_job = subjectOf(question.job, question.network);
  if (const auto added = addNoise(options, of_job, asked); !added) return added.error();
  if (const auto added = addConvolutions(options, question); !added) return added.error();
  if (const auto added = addSteps(options, reading, count, question); !added) return added.error();
  question.place =
      options.machine == kHere ? planner::Placement::kHere : planner::Placement::kMachines;
  question.data_bytes = dataBytes(question.job.data);
  if (const auto cores = workerLimit(*reading.resolved, "cpu"))
    question.worker_cores = coresIn(*cores);
  if (const auto bytes = workerMemoryLimit(*reading.resolved))
    question.worker_bytes = given(*bytes, "limits.memory of the job");
  addLimits(options, question);
  if (const auto added = addBounds(question); !added) return added.error();
  return asked;
}

Result<void> addProfiles(const std::vector<std::filesystem::path>& files,
                         const ProfileMachine& here, AskedPlan& asked) {
  planner::AdviceQuestion& question = asked.question;
  const bool is_here = question.place == planner::Placement::kHere;
  auto profile = planProfile(files, {.version = kVersion,
                                     .machine = is_here ? here : ProfileMachine(),
                                     .subject = subjectOf(question.job, question.network)});
  if (!profile) return profile.error();
  question.profile = *std::move(profile);
  noteLinks(asked);
  return {};
}

}  // namespace sumac::cli
