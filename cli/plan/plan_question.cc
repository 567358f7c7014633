#include "cli/plan/plan_question.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/models/worker_memory.h"
#include "common/base/file.h"
#include "common/base/version.h"
#include "common/job/model_check.h"
#include "common/job/network_of.h"
#include "common/profile/profile_json.h"
#include "common/profile/profile_use.h"
#include "common/profile/subject.h"
#include "common/progress/job_result.h"
#include "common/yaml/reader.h"
#include "planner/machines/read.h"

namespace sumac::cli {
namespace {

constexpr const char* kHere = "here";
constexpr std::size_t kMostResult = 1024UL * 1024;

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

/// The first profile of this job; else why the last one is not.
Result<JobProfile> profileFor(const PlanOptions& options, const ProfileNeed& need) {
  std::string why;
  for (const auto& file : options.profiles) {
    const auto text = readTextFile(file, kMaxProfileBytes);
    if (!text) return text.error();
    auto profile = profileFromJson(*text);
    if (!profile) return profile.error().within(file.string());
    if (const auto reason = whyNot(*profile, need); !reason.empty()) {
      why = file.string() + ": " + reason;
      continue;
    }
    if (profile->batches.empty()) return invalid(file.string() + ": the profile has no batches");
    return profile;
  }
  return invalid(why.empty() ? "give a profile with --profile; sumac profile measures one" : why);
}

Result<std::optional<planner::MachineType>> machineOf(const PlanOptions& options) {
  if (options.machine.empty() || options.machine == kHere) {
    if (options.machines.empty()) return std::optional<planner::MachineType>();
    return invalid("--machines needs the name of a type of that file: give it with --machine");
  }
  if (options.machines.empty())
    return invalid("nothing is known of machine type " + options.machine +
                   ": give a file that describes it with --machines");
  const auto text = readTextFile(options.machines, yaml::kMaxBytes);
  if (!text) return text.error();
  const auto reading = planner::readMachineTypes(*text, options.machines.string());
  if (!reading.problems.empty()) return invalid(reading.problems.front().text());
  const auto* const type = planner::findMachineType(reading.types, options.machine);
  if (type == nullptr)
    return invalid(options.machines.string() + " has no machine type " + options.machine +
                   "; it has " + planner::machineTypeNames(reading.types));
  return std::optional(*type);
}

Result<std::optional<planner::NoiseFigure>> noiseOf(const PlanOptions& options) {
  if (options.noise_scale)
    return std::optional(
        planner::NoiseFigure{given(*options.noise_scale, "--noise-scale"), {}, {}});
  if (options.result.empty()) return std::optional<planner::NoiseFigure>();
  const std::string file = options.result.string();
  const auto text = readTextFile(options.result, kMostResult);
  if (!text) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return invalid(file + ": not a JSON object; give a run's result.json");
  const auto result = jobResultFromJson(json);
  if (!result) return result.error().within(file);
  if (!result->noise_scale)
    return invalid(file +
                   ": the run estimated no noise scale; run it with --set "
                   "training.noiseScale=true");
  const NoiseScale& noise = *result->noise_scale;
  planner::NoiseFigure figure{given(noise.samples, "--result"), noise.low, noise.high};
  figure.samples.origin = planner::FigureOrigin::kMeasured;
  figure.samples.source = file;
  return std::optional(std::move(figure));
}

/// Images of an epoch, or sequences of text; nothing: the document does not tell.
std::optional<std::int64_t> samplesOfAnEpoch(const PlanOptions& options,
                                             const job::Reading& reading,
                                             const model::Network& network) {
  if (!network.isText()) {
    if (options.samples) return options.samples;
    const auto document = yaml::parse(reading.resolved);
    return document.root ? job::knownImages(*document.root) : std::nullopt;
  }
  auto words = options.samples;
  if (!words && reading.job->data.generated) words = reading.job->data.generated->train_tokens;
  if (!words) return std::nullopt;
  return *words / (network.input.front() + 1);
}

/// As the worker counts them: what does not fill a mini-batch, or a stream of text, is left out.
std::int64_t stepsOfAnEpoch(const PlanOptions& options, const job::Reading& reading,
                            const model::Network& network) {
  const std::int64_t batch = reading.job->training.batch_size;
  const auto samples = samplesOfAnEpoch(options, reading, network);
  if (!samples) return 0;
  if (!network.isText()) return *samples / batch;
  const auto& generated = reading.job->data.generated;
  const std::int64_t words = options.samples.value_or(generated ? generated->train_tokens : 0);
  return std::max<std::int64_t>(0, (words / batch - 1) / network.input.front());
}

Result<double> stepsOf(const PlanOptions& options, const job::Reading& reading,
                       const model::Network& network) {
  const job::TrainingSpec& training = reading.job->training;
  if (training.steps) return static_cast<double>(*training.steps);
  const std::int64_t each = stepsOfAnEpoch(options, reading, network);
  if (each > 0) return static_cast<double>(*training.epochs) * static_cast<double>(each);
  return invalid("how many steps an epoch has is not known: give the number of training " +
                 std::string(network.isText() ? "words" : "samples") +
                 " with --samples (sumac data info prints it), or set training.steps");
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

/// Network and profile of the job.
Result<planner::AdviceQuestion> subjectOfQuestion(const PlanOptions& options,
                                                  const job::Reading& reading,
                                                  const ProfileMachine& here) {
  planner::AdviceQuestion question;
  question.job = *reading.job;
  const auto& generated = question.job.data.generated;
  auto network = job::networkOf(question.job, generated ? generated->vocabulary : 0);
  if (!network) return network.error();
  question.network = *std::move(network);
  auto profile = profileFor(options, {.version = kVersion,
                                      .machine = options.machine == kHere ? here : ProfileMachine(),
                                      .subject = subjectOf(question.job, question.network)});
  if (!profile) return profile.error();
  question.profile = *std::move(profile);
  return question;
}

/// What the command line says of members: links, memory, limits.
void addLimits(const PlanOptions& options, planner::AdviceQuestion& question) {
  if (options.link_bytes_per_second)
    question.link_bytes_per_second = given(*options.link_bytes_per_second, "--link");
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

}  // namespace

Result<planner::AdviceQuestion> questionOf(const PlanOptions& options, const job::Reading& reading,
                                           const ProfileMachine& here) {
  auto question = subjectOfQuestion(options, reading, here);
  if (!question) return question;
  auto machine = machineOf(options);
  if (!machine) return machine.error();
  if (const auto checked = checkMoney(options, *machine); !checked) return checked.error();
  question->machine = *std::move(machine);
  auto noise = noiseOf(options);
  if (!noise) return noise.error();
  question->noise = *std::move(noise);
  const auto steps = stepsOf(options, reading, question->network);
  if (!steps) return steps.error();
  question->steps = *steps;
  question->samples = samplesOfAnEpoch(options, reading, question->network);
  question->place =
      options.machine == kHere ? planner::Placement::kHere : planner::Placement::kMachines;
  addLimits(options, *question);
  return question;
}

}  // namespace sumac::cli
