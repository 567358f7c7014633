#include "cli/experiment/cell_run.h"

#include <cstdint>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/run/folder.h"
#include "cli/run/keys.h"
#include "cli/run/local_job.h"
#include "common/base/file.h"
#include "common/base/text.h"
#include "common/job/yaml_writer.h"

namespace sumac::cli {
namespace {

constexpr std::uint64_t kMaxMetricsBytes = 4'000'000;  // 400 lines and some evaluations
constexpr std::uint64_t kMaxResultBytes = 1'000'000;   // times of 256 workers

RunFailure failureOf(const Error& error) {
  return {error.message};
}

/// What the members said of a job that did not end well.
RunFailure explainCell(const LocalJobResult& result, const RunFolder& folder) {
  if (result.stop_signal != 0) return {"stopped", result.stop_signal};
  constexpr int kReasonLines = 4;
  constexpr int kLogLines = 10;
  if (!result.failure) return {"the job did not complete"};
  const Slot slot = result.failure->slot;
  std::string cause = result.failure->text();
  const std::string reason = RunFolder::tail(folder.terminationFile(slot), kReasonLines);
  const std::string log = RunFolder::tail(folder.log(slot), kLogLines);
  if (!reason.empty() || !log.empty()) cause += "\n" + (reason.empty() ? log : reason);
  while (cause.ends_with('\n'))
    cause.pop_back();
  return {cause};
}

/// An empty folder with the run's job.
Result<void> prepare(const RunFolder& folder, const experiment::Cell& cell) {
  std::error_code error;
  std::filesystem::remove_all(folder.path(), error);
  std::filesystem::create_directories(folder.path(), error);
  if (error) {
    return Error{ErrorCode::kUnavailable,
                 "cannot make " + folder.path().string() + ": " + error.message()};
  }
  const std::string document = job::toYaml(nlohmann::ordered_json::parse(cell.resolved));
  return createFile(folder.job(), asBytes(document));
}

/// Whether a worker fits into this machine: one that does not is killed without a word.
Result<void> checkCellMemory(const AskMemory& ask_memory, const experiment::Cell& cell) {
  if (!ask_memory) return {};
  // A text network's size may depend on its data, which are not read here: then nothing is known.
  const auto memory = ask_memory({}, cell.resolved);
  if (!memory || memory->bytes <= machineMemory()) return {};
  return Error{ErrorCode::kInvalid, "a worker needs about " + bytesText(memory->bytes) +
                                        ", this machine has " + bytesText(machineMemory())};
}

}  // namespace

RunOutcome runCell(const experiment::Cell& cell, const CellRunOptions& options,
                   const Clock& clock) {
  if (const auto fits = checkCellMemory(options.ask_memory, cell); !fits)
    return failureOf(fits.error());
  const RunFolder folder(options.folder);
  if (const auto prepared = prepare(folder, cell); !prepared) return failureOf(prepared.error());
  const auto keys = RunKeys::make(folder.keys(), cell.job);
  if (!keys) return failureOf(keys.error());
  LocalJobOptions local;
  local.programs = options.programs;
  local.folder = folder.path();
  local.servers = cell.job.server.replicas;
  local.workers = cell.job.worker.replicas;
  local.is_encrypted = cell.job.transport == job::Transport::kCurve;
  std::ostringstream unseen;  // the experiment has a view of its own
  const auto result = superviseJob(local, clock, unseen, Terminal{});
  if (!result) return failureOf(result.error());
  if (result->code != ExitCode::kDone) return explainCell(*result, folder);
  const auto metrics = readTextFile(folder.output().metrics(), kMaxMetricsBytes);
  if (!metrics) return failureOf(metrics.error());
  auto figures = experiment::figuresOf(*metrics, options.warmup_steps);
  if (!figures) return failureOf(figures.error());
  // Only for the pictures: a run without it counts.
  if (const auto told = readTextFile(folder.output().result(), kMaxResultBytes))
    experiment::addResult(*figures, *told);
  return *std::move(figures);
}

}  // namespace sumac::cli
