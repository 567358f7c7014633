#include "cli/experiment/local_runner.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/clock.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "base/process/member_flags.h"
#include "base/process/other_work.h"
#include "cli/experiment/run_outcome.h"
#include "cli/experiment/scale_course.h"
#include "cli/experiment/sized_course.h"
#include "cli/models/worker_memory.h"
#include "cli/run/autoscaler.h"
#include "cli/run/ending.h"
#include "cli/run/folder.h"
#include "cli/run/keys.h"
#include "cli/run/links.h"
#include "cli/run/local_job.h"
#include "engine/nn/processors.h"
#include "exchange/membership/most_members.h"
#include "job/document/yaml_writer.h"
#include "job/progress/job_result.h"

#include "experiment/cells/cells.h"
#include "experiment/document/experiment.h"

namespace sumac::cli {
namespace {

/// What runs need besides their job.
struct CellRunOptions {
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  std::filesystem::path folder;    // of this run; what is in it goes
  int repetition = 1;
  std::int64_t warmup_steps = 0;
  std::vector<experiment::ScaleStep> scale;  // empty: the job's number of workers stays
  std::optional<std::vector<experiment::ScriptedEvent>> sizing;  // as in LocalRunnerOptions
  AskMemory ask_memory;                                          // empty: memory is not checked
};

constexpr std::uint64_t kMaxMetricsBytes = 4'000'000;  // 400 lines and some evaluations
constexpr std::uint64_t kMaxResultBytes = 1'000'000;   // times of 256 workers

RunFailure failureOf(const Error& error) {
  return {error.message};
}

/// What the members said of a job that did not end well.
RunFailure explainCell(const LocalJobResult& result, const RunFolder& folder) {
  if (result.stop_signal != 0) return {"stopped", result.stop_signal};
  return {result.failure ? causeInLines(result, folder) : "the job did not complete"};
}

/// An empty folder.
Result<void> makeFolder(const RunFolder& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder.path(), error);
  std::filesystem::create_directories(folder.path(), error);
  if (!error) return {};
  return Error{ErrorCode::kUnavailable,
               "cannot make " + folder.path().string() + ": " + error.message()};
}

/// Writes the cell's job with so many workers. Its V is that of the cell whatever their number is.
Result<void> writeJob(const RunFolder& folder, const experiment::Cell& cell, int repetition,
                      int workers) {
  auto document = *cell.resolved;
  document["spec"]["worker"]["replicas"] = workers;
  document["spec"]["training"]["seed"] = seedOf(cell, repetition);
  return replaceFile(folder.job(), asBytes(job::toYaml(document)));
}

/// Whether a worker fits into this machine: one that does not is killed without a word.
Result<void> checkCellMemory(const AskMemory& ask_memory, const experiment::Cell& cell) {
  if (!ask_memory) return {};
  // A text network's size may depend on its data, which are not read here: then nothing is known.
  const auto memory = ask_memory({}, cell.resolved.text());
  if (!memory || memory->bytes <= machineMemory()) return {};
  return Error{ErrorCode::kInvalid, "a worker needs about " + bytesText(memory->bytes) +
                                        ", this machine has " + bytesText(machineMemory())};
}

/// Of a run.
struct Workers {
  int first = 1;
  std::optional<int> most;  // where members may change; nothing: they do not
  int restarts = 0;         // of a member in a row without progress
  int sharing = 0;          // this machine's cores; 0: as many as there are
  bool may_be_slow = false;
};

// As `sumac run` has them.
constexpr int kSizedRestarts = 3;

/// Without a profile a run's workers measure by themselves what computing takes: so each repetition
/// has a time of its own, and the interval of a cell knows how these differ.
void emulate(LocalJobOptions& local, const experiment::Conditions& conditions,
             const RunFolder& folder) {
  local.shares_processors = false;
  if (conditions.profile.empty()) {
    const auto times = folder.path() / "step-times";
    local.worker_flags = {member_flags::kEmulateCompute.name, times.string()};
  } else {
    local.worker_flags = {member_flags::kEmulateProfile.name, conditions.profile};
  }
  local.worker_flags.insert(local.worker_flags.end(),
                            {member_flags::kSlowdown.name, std::to_string(conditions.slowdown)});
}

/// One attempt of the cell's job, with so many workers, and perhaps up to more while it trains.
Result<LocalJobResult> runAttempt(const experiment::Cell& cell, const RunFolder& folder,
                                  const CellRunOptions& options, Workers number,
                                  JobObserver* observer, const Clock& clock) {
  const int workers = number.first;
  if (const auto written = writeJob(folder, cell, options.repetition, workers); !written)
    return written.error();
  job::TrainingJob job = cell.job;
  job.worker.replicas = workers;
  const auto keys = RunKeys::make(folder.keys(), job, number.most.value_or(workers));
  if (!keys) return keys.error();
  LocalJobOptions local;
  local.programs = options.programs;
  local.folder = folder.path();
  local.servers = job.server.replicas;
  local.workers = workers;
  local.most_workers = number.most;
  local.restarts = number.restarts;
  local.sharing_workers = number.sharing;
  local.is_encrypted = job.transport == job::Transport::kCurve;
  local.observer = observer;
  if (cell.conditions.is_emulated) emulate(local, cell.conditions, folder);
  if (number.may_be_slow) {
    local.worker_flags.insert(local.worker_flags.end(),
                              {member_flags::kSlowFolder, folder.path().string()});
  }
  std::optional<Links> links;
  if (const auto& rate = cell.conditions.link_bits_per_second) {
    auto made = Links::make(local.servers + number.most.value_or(workers), *rate);
    if (!made) return made.error();
    links = *std::move(made);
    local.links = &*links;
  }
  std::ostringstream unseen;  // the experiment has a view of its own
  return superviseJob(local, clock, unseen, Terminal{});
}

/// The most workers of a run in a comparison of sizes; nothing where its members stay.
std::optional<int> mostSized(const experiment::Cell& cell, bool has_events) {
  if (!has_events && !isSized(cell)) return std::nullopt;
  if (!mostMembers(cell.job, /*is_elastic=*/true)) return std::nullopt;
  return std::max(workersOf(cell).second, cell.job.worker.replicas);
}

/// The workers of such a run. Of a real job that chooses its size, as many have room as cores.
Workers sizedWorkers(const experiment::Cell& cell,
                     const std::vector<experiment::ScriptedEvent>& events) {
  Workers number;
  number.first = isSized(cell) ? workersOf(cell).first : cell.job.worker.replicas;
  number.most = mostSized(cell, !events.empty());
  number.restarts = kSizedRestarts;
  if (cell.job.autoscaling && !cell.conditions.is_emulated)
    number.sharing = roomFor(cell.job, worker::usableProcessors());
  number.may_be_slow = std::ranges::any_of(events, [](const experiment::ScriptedEvent& event) {
    return event.kind == experiment::ScriptedEvent::Kind::kSlow;
  });
  return number;
}

/// Trains from beginning to end while the job sizes itself, as `sumac run` does, and events happen.
RunOutcome runSized(const experiment::Cell& cell, const RunFolder& folder,
                    const CellRunOptions& options, const Clock& clock) {
  const Workers number = sizedWorkers(cell, *options.sizing);
  const int room = number.sharing > 0 ? number.sharing : number.most.value_or(number.first);
  SizedCourse course(cell, *options.sizing, {number.first, room, folder.path(), clock.now()});
  const auto result = runAttempt(cell, folder, options, number, &course, clock);
  if (!result) return failureOf(result.error());
  if (!course.problem().empty()) return RunFailure{course.problem()};
  if (result->code != ExitCode::kDone) return explainCell(*result, folder);
  const auto told = folder.output().readResult();
  if (!told) return failureOf(told.error());
  const auto steps = course.steps();
  auto figures = experiment::figuresOf(course.take(told->parameters_sha256), steps);
  if (!figures) return failureOf(figures.error());
  figures->learned = experiment::learnedOf(*told);
  return *std::move(figures);
}

RunOutcome measuredSteps(const RunFolder& folder, std::int64_t warmup_steps) {
  const auto metrics = readTextFile(folder.output().metrics(), kMaxMetricsBytes);
  if (!metrics) return failureOf(metrics.error());
  auto figures = experiment::figuresOf(*metrics, warmup_steps);
  if (!figures) return failureOf(figures.error());
  // Only for the pictures and what was learned: where speed is compared, a run without it counts.
  if (const auto told = readTextFile(folder.output().result(), kMaxResultBytes))
    experiment::addResult(*figures, *told);
  return *std::move(figures);
}

RunOutcome runFixed(const experiment::Cell& cell, const RunFolder& folder,
                    const CellRunOptions& options, const Clock& clock) {
  const auto result = runAttempt(cell, folder, options, {cell.job.worker.replicas, std::nullopt},
                                 /*observer=*/nullptr, clock);
  if (!result) return failureOf(result.error());
  if (result->code != ExitCode::kDone) return explainCell(*result, folder);
  return measuredSteps(folder, options.warmup_steps);
}

/// The most workers of the script, where the members of the cell's job may change while it trains.
std::optional<int> mostOf(const experiment::Cell& cell, const CellRunOptions& options) {
  if (!mostMembers(cell.job, /*is_elastic=*/true)) return std::nullopt;
  return std::ranges::max(options.scale, {}, &experiment::ScaleStep::workers).workers;
}

/// Changes the job's members while it trains. Where they may not change, stops it at a checkpoint
/// and resumes it, as `sumac run --resume` does, for each number of workers.
RunOutcome runScaled(const experiment::Cell& cell, const RunFolder& folder,
                     const CellRunOptions& options, const Clock& clock) {
  const auto most = mostOf(cell, options);
  ScaleCourse course(options.scale,
                     most ? ScaleCourse::Means::kInPlace : ScaleCourse::Means::kRestart);
  while (true) {
    const auto result = runAttempt(cell, folder, options, {course.workers(), most}, &course, clock);
    if (!result) return failureOf(result.error());
    if (result->code == ExitCode::kDone) break;
    if (result->failure || !result->is_stopped_by_observer) return explainCell(*result, folder);
    if (!result->newest_checkpoint)
      return RunFailure{"the job stopped without a checkpoint, so it cannot go on"};
    course.moveOn();
  }
  if (const std::string missing = course.missing(); !missing.empty()) return RunFailure{missing};
  const auto result = folder.output().readResult();
  if (!result) return failureOf(result.error());
  auto figures =
      experiment::figuresOf(course.take(result->parameters_sha256), options.warmup_steps);
  if (!figures) return failureOf(figures.error());
  figures->learned = experiment::learnedOf(*result);
  return *std::move(figures);
}

/// Runs a cell's job once, with processes on this machine, as `sumac run` does, and reads how long
/// its steps took; with a script of numbers of workers from attempt to attempt. The folder stays,
/// with the members' logs. Requires a process with one thread and no other children.
RunOutcome runCell(const experiment::Cell& cell, const CellRunOptions& options,
                   const Clock& clock) {
  if (const auto fits = checkCellMemory(options.ask_memory, cell); !fits)
    return failureOf(fits.error());
  const RunFolder folder(options.folder);
  if (const auto made = makeFolder(folder); !made) return failureOf(made.error());
  if (options.sizing) return runSized(cell, folder, options, clock);
  return options.scale.empty() ? runFixed(cell, folder, options, clock)
                               : runScaled(cell, folder, options, clock);
}

/// All that may work at a time.
int mostMembersOf(const experiment::Cell& cell) {
  const int workers = isSized(cell) ? workersOf(cell).second : cell.job.worker.replicas;
  return workers + cell.job.server.replicas;
}

/// As SIGHUP is under nohup: held back, it would wait for us all the same.
bool isIgnored(int signal) {
  struct sigaction current {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

// Ctrl-C and its like wait between two runs: a run's supervisor looks for them, and so do we.
LocalRunner::LocalRunner(LocalRunnerOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {
  ::sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!isIgnored(signal)) ::sigaddset(&held_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

LocalRunner::~LocalRunner() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

EndedRun LocalRunner::await() {
  SUMAC_CHECK(next_.has_value());
  const CellRun run = *std::exchange(next_, std::nullopt);
  const TimePoint begun = clock_.now();
  const OtherWork others(clock_);
  auto outcome = runCell(*run.cell,
                         {options_.programs, run.folder, run.id.repetition, options_.warmup_steps,
                          options_.scale, options_.sizing, options_.ask_memory},
                         clock_);
  const bool is_of_profile =
      run.cell->conditions.is_emulated && !run.cell->conditions.profile.empty();
  if (auto* const figures = std::get_if<experiment::RunFigures>(&outcome);
      figures != nullptr && is_of_profile)
    figures->lacking_cores = others.lacking(mostMembersOf(*run.cell));
  return {run.id, std::move(outcome), clock_.now() - begun, {}};
}

int LocalRunner::takeSignal() {
  const timespec at_once{};
  const int signal = ::sigtimedwait(&held_, nullptr, &at_once);
  return signal > 0 ? signal : 0;
}

}  // namespace sumac::cli
