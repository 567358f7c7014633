#include "cli/profile/profile.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "base/report/text.h"
#include "cli/bench/exchange_bench.h"
#include "cli/document/document.h"
#include "cli/profile/profile_report.h"
#include "cli/programs/ask_program.h"
#include "cli/run/loopback.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "job/profile/job_profile.h"
#include "job/profile/profile_json.h"

#include "experiment/document/kind.h"

namespace sumac::cli {
namespace {

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
  if (!reading.job) {
    streams.err << job::problemList(reading.problems) << std::endl;
    return std::nullopt;
  }
  if (const auto network = job::networkSpecOf(*reading.job); !network) {
    streams.err << "error: " << network.error().message << std::endl;
    return std::nullopt;
  }
  return reading;
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
                                                       const Clock& clock, std::ostream& err) {
  LinkMeasurement link{.path = cell.is_encrypted ? "curve" : "tcp",
                       .bytes = cell.bytes,
                       .seconds = {},
                       .method = cell.method,
                       .workers = cell.workers,
                       .servers = cell.serversStarted()};
  err << "exchange: " << bytesText(cell.bytes) << " " << link.exchangeName() << std::endl;
  cell.steps = std::max(kFewestLinkSteps, defaultSteps(cell.bytes) / kLinkRuns);
  std::vector<double> seconds;
  for (int run = 0; run < kLinkRuns; ++run) {
    const CellResult result = measureExchange(cell, programs, clock);
    if (const auto* const failure = std::get_if<CellFailure>(&result)) return *failure;
    seconds.push_back(std::get<ExchangeFigures>(result).p50);
  }
  link.seconds = timingOf(std::move(seconds));
  return link;
}

ExitCode measureLinks(const job::TrainingJob& job, const ProfileOptions& options,
                      const Clock& clock, Streams streams, JobProfile& profile) {
  for (const auto& [method, workers, sizes] : measuredExchanges()) {
    for (const std::int64_t bytes : sizes) {
      ExchangeCell cell;
      cell.bytes = bytes;
      cell.method = method;
      cell.workers = workers;
      cell.is_encrypted = job.transport == job::Transport::kCurve;
      const auto link = measureLink(cell, options.programs, clock, streams.err);
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

Profiling measureProfile(const job::Reading& reading, const ProfileOptions& options,
                         const Clock& clock, Streams streams) {
  if (const auto reachable = checkLoopback(); !reachable)
    return complain(streams.err, reachable.error(), ExitCode::kFailed);
  std::vector<std::string> arguments{"profile"};
  addList(arguments, "--batch-sizes", options.batch_sizes);
  addList(arguments, "--threads", options.threads);
  auto profile =
      askProfile(options.programs, std::move(arguments), reading.resolved.text(), Messages::kShown);
  if (!profile) return complain(streams.err, profile.error(), ExitCode::kBadConfiguration);
  if (!options.measures_exchanges) return *std::move(profile);
  const ExitCode code = measureLinks(*reading.job, options, clock, streams, *profile);
  if (code != ExitCode::kDone) return code;
  return *std::move(profile);
}

ExitCode profileJob(const ProfileOptions& options, const Clock& clock, Streams streams) {
  const auto reading = readProfiledJob(options, streams);
  if (!reading) return ExitCode::kBadConfiguration;
  const Profiling measured = measureProfile(*reading, options, clock, streams);
  if (const auto* const code = std::get_if<ExitCode>(&measured)) return *code;
  const auto& profile = std::get<JobProfile>(measured);
  if (!options.output.empty()) {
    if (const auto written = replaceFile(options.output, asBytes(toJson(profile))); !written)
      return complain(streams.err, written.error(), ExitCode::kFailed);
  }
  streams.out << toText(profileReport(profile), options.style) << std::flush;
  return ExitCode::kDone;
}

}  // namespace sumac::cli
