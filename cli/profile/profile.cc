#include "cli/profile/profile.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/file.h"
#include "base/core/table.h"
#include "base/core/units.h"
#include "cli/bench/exchange_bench.h"
#include "cli/document/document.h"
#include "cli/programs/ask_program.h"
#include "cli/run/loopback.h"
#include "job/document/job.h"
#include "job/profile/disturbance.h"
#include "job/profile/job_profile.h"
#include "job/profile/profile_json.h"
#include "planner/exchange_cost/profiled_step.h"

#include "experiment/document/kind.h"

namespace sumac::cli {
namespace {

using Row = std::vector<std::string>;

std::string digits(double value, int decimals) {
  constexpr std::size_t kLongest = 64;
  std::array<char, kLongest> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

/// Microseconds with about three digits.
std::string microseconds(double seconds) {
  constexpr double kMicro = 1e6;
  constexpr double kFew = 100;
  const double us = seconds * kMicro;
  return digits(us, us < kFew ? 1 : 0);
}

/// "251 ± 2 %": half the distance of the quartiles, as a share of the median.
std::string timingText(const Timing& timing) {
  if (timing.median <= 0) return microseconds(0);
  constexpr double kPercent = 100;
  return microseconds(timing.median) + " ± " + digits(kPercent * spreadOf(timing), 0) + " %";
}

std::string batchTable(const JobProfile& profile) {
  std::vector<Row> rows;
  for (const BatchProfile& batch : profile.batches) {
    const double seconds = batch.computeSeconds();
    rows.push_back(
        {std::to_string(batch.samples), std::to_string(batch.parts), std::to_string(batch.threads),
         timingText(batch.forward), timingText(batch.backward), timingText(batch.update),
         microseconds(seconds), digits(static_cast<double>(batch.samples) / seconds, 0),
         digits(batch.crowded, 2), bytesText(static_cast<std::uint64_t>(batch.workspace_bytes))});
  }
  return table({"SAMPLES", "PARTS", "THREADS", "FORWARD-US", "BACKWARD-US", "UPDATE-US",
                "COMPUTE-US", "SAMPLES/S", "CROWDED", "WORKSPACE"},
               rows);
}

std::string layerTable(const BatchProfile& batch) {
  std::vector<Row> rows;
  for (const LayerProfile& layer : batch.layers) {
    std::int64_t parameters = 0;
    for (const TensorProfile& tensor : layer.tensors)
      parameters += tensor.values;
    rows.push_back({layer.name, microseconds(layer.forward_seconds),
                    microseconds(layer.weightGradientSeconds()),
                    microseconds(layer.input_gradient_seconds), microseconds(layer.update_seconds),
                    std::to_string(parameters),
                    bytesText(static_cast<std::uint64_t>(layer.value_bytes))});
  }
  return table({"LAYER", "FORWARD-US", "WEIGHT-GRADIENT-US", "INPUT-GRADIENT-US", "UPDATE-US",
                "PARAMETERS", "VALUES"},
               rows);
}

/// "2 workers, 1 server".
std::string membersText(const LinkMeasurement& link) {
  const std::string workers = counted(link.workers, "worker");
  if (link.method == ExchangeMethod::kServers)
    return workers + ", " + counted(link.servers, "server");
  return workers + (isByOwners(link.method) ? ", each its share" : ", each all");
}

std::string linkTable(const JobProfile& profile) {
  constexpr double kGiga = 1e9;
  std::vector<Row> rows;
  for (const LinkMeasurement& link : profile.links) {
    rows.push_back({link.path, membersText(link), bytesText(static_cast<std::uint64_t>(link.bytes)),
                    timingText(link.seconds),
                    digits(static_cast<double>(link.bytes) / link.seconds.median / kGiga, 2)});
  }
  return table({"PATH", "MEMBERS, SUMMED BY", "SIZE", "EXCHANGE-US", "GB/S"}, rows);
}

/// What the cost model makes of the links.
std::string costsText(const JobProfile& profile) {
  const auto fit = planner::costsOf(profile, profile.links.front().path);
  if (!fit) return fit.error().message + "\n";
  constexpr double kGiga = 1e9;
  constexpr double kPercent = 100;
  const ExchangeCosts& costs = fit->costs.exchange;
  std::string text = "An exchange costs " + microseconds(fit->costs.step) + " us, a hop " +
                     microseconds(costs.hop) + " us, a message " + microseconds(costs.message) +
                     " us, a byte " + digits(kGiga * costs.byte, 3) + " ns and in large vectors " +
                     digits(kGiga * fit->costs.far_byte, 3) + " ns more; a thread adds " +
                     digits(profile.sum_bytes_per_second / kGiga, 1) +
                     " GB/s to a sum.\nThese explain the exchanges with an error of " +
                     digits(kPercent * fit->error(), 1) + " %";
  const std::string caveat = fit->caveat();
  return text + (caveat.empty() ? "" : "; " + caveat) + ".\n";
}

/// A profile for people: where it was measured, its batches, the layers of one of them, and links.
std::string profileTable(const JobProfile& profile) {
  const ProfileMachine& machine = profile.machine;
  std::string text = profile.subject.network + ", " + profile.subject.optimizer + ", on " +
                     machine.host + ": " + machine.cpu + ", " + counted(machine.cores, "core") +
                     ", " + machine.kernels + " kernels\n\n" + batchTable(profile);
  if (!profile.batches.empty()) {
    const auto is_first = [&profile](const BatchProfile& batch) {
      return batch.threads == profile.batches.front().threads;
    };
    const auto sizes = std::ranges::count_if(profile.batches, is_first);
    const BatchProfile& batch = profile.batches[static_cast<std::size_t>(sizes / 2)];
    text += "\nLayer by layer, " + counted(batch.samples, "sample") + ", " +
            counted(batch.threads, "thread") + ":\n" + layerTable(batch);
  }
  if (!profile.links.empty()) text += "\n" + linkTable(profile) + costsText(profile);
  for (const std::string& warning : {disturbanceText(profile), idleThreadsText(profile)})
    if (!warning.empty()) text += "\nwarning: " + warning + ".\n";
  return text;
}

/// What is exchanged between how many members, at which sizes: with one worker what a message
/// costs, with two what sums and sharing cores cost.
struct Exchanges {
  ExchangeMethod method;
  int workers;
  std::vector<std::int64_t> sizes;
};

std::vector<Exchanges> measuredExchanges() {
  const std::vector<std::int64_t> few{16'000, 256'000, 1'000'000, 8'000'000};
  return {{ExchangeMethod::kServers,
           1,
           {4'000, 16'000, 64'000, 256'000, 1'000'000, 4'000'000, 16'000'000}},
          {ExchangeMethod::kServers, 2, few},
          {ExchangeMethod::kDecentralized, 2, few},
          {ExchangeMethod::kDirect, 2, few}};
}

constexpr int kLinkRuns = 3;
constexpr int kFewestLinkSteps = 20;

ExitCode complain(std::ostream& err, const Error& error, ExitCode code) {
  if (!error.message.empty()) err << "error: " << error.message << std::endl;
  return code;
}

std::optional<job::Reading> readProfiledJob(const ProfileOptions& options, Streams streams) {
  const auto text = readDocument(options.file, streams.in);
  if (!text) {
    streams.err << "error: " << text.error().message << std::endl;
    return std::nullopt;
  }
  if (experiment::isExperiment(*text)) {
    streams.err << "error: " << options.file
                << " is an Experiment, and a profile is of one job; give the file that its "
                   "spec.jobPath names, or what stands below spec.job in a file of its own"
                << std::endl;
    return std::nullopt;
  }
  job::Overrides overrides;
  overrides.sets = options.sets;
  overrides.transport = "none";
  auto reading = job::readJob(*text, options.file == "-" ? "<stdin>" : options.file, overrides,
                              /*needs_to_run=*/true);
  if (reading.job) return reading;
  streams.err << job::problemList(reading.problems) << std::endl;
  return std::nullopt;
}

Result<JobProfile> askProfile(const std::filesystem::path& programs,
                              std::vector<std::string> arguments, const std::string& job,
                              Messages messages) {
  const auto answer = askWorker(programs, std::move(arguments), job, messages);
  if (!answer) return answer.error();
  return profileFromJson(*answer);
}

template <typename Number>
void addList(std::vector<std::string>& arguments, const char* option,
             const std::vector<Number>& numbers) {
  if (numbers.empty()) return;
  std::string list;
  for (const Number number : numbers)
    list += (list.empty() ? "" : ",") + std::to_string(number);
  arguments.emplace_back(option);
  arguments.push_back(list);
}

/// What an exchange takes, several times from the start of its members on.
std::variant<LinkMeasurement, CellFailure> measureLink(ExchangeCell cell,
                                                       const std::filesystem::path& programs,
                                                       const Clock& clock) {
  cell.steps = std::max(kFewestLinkSteps, defaultSteps(cell.bytes) / kLinkRuns);
  std::vector<double> seconds;
  for (int run = 0; run < kLinkRuns; ++run) {
    const CellResult result = measureExchange(cell, programs, clock);
    if (const auto* const failure = std::get_if<CellFailure>(&result)) return *failure;
    seconds.push_back(std::get<ExchangeFigures>(result).p50);
  }
  return LinkMeasurement{.path = cell.is_encrypted ? "curve" : "tcp",
                         .bytes = cell.bytes,
                         .seconds = timingOf(std::move(seconds)),
                         .method = cell.method,
                         .workers = cell.workers,
                         .servers = cell.serversStarted()};
}

ExitCode measureLinks(const job::TrainingJob& job, const ProfileOptions& options,
                      const Clock& clock, Streams streams, JobProfile& profile) {
  for (const auto& [method, workers, sizes] : measuredExchanges()) {
    for (const std::int64_t bytes : sizes) {
      streams.err << "exchange: " << counted(workers, "worker") << ", " << toString(method) << ", "
                  << bytesText(static_cast<std::uint64_t>(bytes)) << std::endl;
      ExchangeCell cell;
      cell.bytes = bytes;
      cell.method = method;
      cell.workers = workers;
      cell.is_encrypted = job.transport == job::Transport::kCurve;
      const auto link = measureLink(cell, options.programs, clock);
      if (const auto* const failure = std::get_if<CellFailure>(&link)) {
        streams.err << "error: " << failure->text << std::endl;
        return failure->code;
      }
      profile.links.push_back(std::get<LinkMeasurement>(link));
    }
  }
  return ExitCode::kDone;
}

}  // namespace

Result<JobProfile> profileHere(const std::filesystem::path& programs, const std::string& job) {
  return askProfile(programs, {"profile", "--dry-run"}, job, Messages::kKept);
}

ExitCode profileJob(const ProfileOptions& options, const Clock& clock, Streams streams) {
  const auto reading = readProfiledJob(options, streams);
  if (!reading) return ExitCode::kBadConfiguration;
  if (const auto reachable = checkLoopback(); !reachable)
    return complain(streams.err, reachable.error(), ExitCode::kFailed);
  std::vector<std::string> arguments{"profile"};
  addList(arguments, "--batch-sizes", options.batch_sizes);
  addList(arguments, "--threads", options.threads);
  auto profile = askProfile(options.programs, std::move(arguments), reading->resolved.text(),
                            Messages::kShown);
  if (!profile) return complain(streams.err, profile.error(), ExitCode::kBadConfiguration);
  const ExitCode code = measureLinks(*reading->job, options, clock, streams, *profile);
  if (code != ExitCode::kDone) return code;
  if (!options.output.empty()) {
    if (const auto written = replaceFile(options.output, asBytes(toJson(*profile))); !written)
      return complain(streams.err, written.error(), ExitCode::kFailed);
  }
  for (const std::string& warning : {disturbanceText(*profile), idleThreadsText(*profile)})
    if (!warning.empty()) streams.err << "warning: " << warning << std::endl;
  streams.out << profileTable(*profile) << std::flush;
  return ExitCode::kDone;
}

}  // namespace sumac::cli
