#include "cli/bench/exchange_bench.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/text.h"
#include "base/process/member_flags.h"
#include "cli/bench/exchange_table.h"
#include "cli/bench/size_text.h"
#include "cli/run/ending.h"
#include "cli/run/folder.h"
#include "cli/run/keys.h"
#include "cli/run/local_job.h"
#include "cli/run/loopback.h"
#include "job/document/job.h"
#include "job/document/yaml_writer.h"

namespace sumac::cli {
namespace {

/// A new folder for the files of one cell, removed with this object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make() {
    std::error_code failure;
    const auto place = std::filesystem::temp_directory_path(failure);
    std::string pattern = ((failure ? "/tmp" : place) / "sumac-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) return ScratchFolder(pattern);
    return Error{ErrorCode::kUnavailable, "cannot create " + pattern + ": " + std::strerror(errno) +
                                              "; TMPDIR names another place"};
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

/// Holds Ctrl-C and its like back until a job's supervisor looks: one that comes between two cells
/// ends the next one, and no folder stays behind.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      ::sigaddset(&held, signal);
    ::sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

CellFailure failureOf(const Error& error) {
  return {ExitCode::kFailed, error.message};
}

CellResult runCell(const job::Reading& reading, const RunFolder& folder,
                   const std::filesystem::path& programs, const Clock& clock) {
  const std::string document = job::toYaml(*reading.resolved);
  if (const auto written = createFile(folder.job(), asBytes(document)); !written)
    return failureOf(written.error());
  const job::TrainingJob& job = *reading.job;
  const auto keys = RunKeys::make(folder.keys(), job, job.worker.replicas);
  if (!keys) return failureOf(keys.error());
  LocalJobOptions local;
  local.programs = programs;
  local.folder = folder.path();
  local.servers = job.server.replicas;
  local.workers = job.worker.replicas;
  local.is_encrypted = job.transport == job::Transport::kCurve;
  local.log_level = "warn";
  local.worker_flags = {member_flags::kExchangeOnly};
  std::ostringstream unseen;  // the members of a bench have no progress
  auto result = superviseJob(local, clock, unseen, Terminal{});
  if (!result) return failureOf(result.error());
  if (result->code != ExitCode::kDone) {
    return CellFailure{result->code, result->failure ? causeInLines(*result, folder) : "stopped"};
  }
  const auto figures = exchangeFigures(result->last_words[{Role::kWorker, 0}]);
  return figures ? CellResult(*figures) : failureOf(figures.error());
}

CellResult measure(const ExchangeCell& cell, const std::filesystem::path& programs,
                   const Clock& clock) {
  const auto reading = job::readJob(exchangeDocument(cell), "<bench>", {}, /*needs_to_run=*/true);
  if (!reading.job) {
    return CellFailure{ExitCode::kBadConfiguration, job::problemList(reading.problems)};
  }
  const auto folder = ScratchFolder::make();
  if (!folder) return failureOf(folder.error());
  return runCell(reading, RunFolder(folder->path()), programs, clock);
}

std::vector<ExchangeCell> cellsOf(const ExchangeBenchOptions& options) {
  std::vector<ExchangeCell> cells;
  for (const std::int64_t bytes : options.sizes) {
    for (const ExchangeMethod method : options.methods) {
      cells.push_back({bytes, method, options.workers, options.servers,
                       options.steps > 0 ? options.steps : defaultSteps(bytes),
                       options.is_encrypted});
    }
  }
  return cells;
}

ExitCode printJob(const std::vector<ExchangeCell>& cells, std::ostream& out, std::ostream& err) {
  if (cells.size() != 1) {
    err << "error: --print-job is for one size and one algorithm: give --sizes and --algorithms"
        << std::endl;
    return ExitCode::kUsage;
  }
  out << exchangeDocument(cells.front(), /*is_for_pods=*/true) << std::flush;
  return ExitCode::kDone;
}

}  // namespace

CellResult measureExchange(const ExchangeCell& cell, const std::filesystem::path& programs,
                           const Clock& clock) {
  const HeldSignals signals;
  return measure(cell, programs, clock);
}

ExitCode benchExchange(const ExchangeBenchOptions& options, const Clock& clock, std::ostream& out,
                       std::ostream& err) {
  const auto cells = cellsOf(options);
  const bool halves = std::ranges::count(options.methods, ExchangeMethod::kHalvingDoubling) > 0;
  if (halves && !std::has_single_bit(static_cast<unsigned>(options.workers))) {
    err << "error: --workers " << options.workers << ": halvingDoubling needs 2, 4, 8, ... workers"
        << std::endl;
    return ExitCode::kUsage;
  }
  if (options.prints_job) return printJob(cells, out, err);
  if (const auto reachable = checkLoopback(); !reachable)
    return complain(err, reachable.error(), ExitCode::kFailed);
  const HeldSignals signals;
  std::vector<ExchangeRow> rows;
  ExitCode code = ExitCode::kDone;
  for (const ExchangeCell& cell : cells) {
    const std::string name = sizeText(cell.bytes) + ", " + std::string(toString(cell.method));
    err << rows.size() + 1 << "/" << cells.size() << "  " << name << std::endl;
    const CellResult result = measure(cell, options.programs, clock);
    if (const auto* const failure = std::get_if<CellFailure>(&result)) {
      err << "error: " << name << ": " << failure->text << std::endl;
      code = failure->code;
      break;
    }
    rows.push_back({cell, std::get<ExchangeFigures>(result)});
  }
  if (!rows.empty())
    out << (options.is_json ? exchangeJson(rows) : toText(exchangeTable(rows), options.style));
  out << std::flush;
  return code;
}

}  // namespace sumac::cli
