#include "cli/run/run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "base/process/member_flags.h"
#include "base/process/process_end.h"
#include "base/process/resource_limits.h"
#include "cli/document/document.h"
#include "cli/run/attempt.h"
#include "cli/run/folder.h"
#include "cli/run/keys.h"
#include "cli/run/local_job.h"
#include "cli/run/loopback.h"
#include "cli/run/outcome.h"
#include "cli/run/resume.h"
#include "cli/run/sized_run.h"
#include "cli/run/trace.h"
#include "engine/checkpoint/checkpoint.h"
#include "exchange/membership/member_files.h"
#include "exchange/membership/most_members.h"
#include "job/document/job.h"
#include "job/document/yaml_writer.h"

namespace sumac::cli {
namespace {

// Others cannot read loopback traffic, and encryption would cost a third of a small network's speed
// (docs/performance.md): here it must be asked for. In a cluster it is the default.
constexpr const char* kTransport = "none";

// What the messages about a job without a file name in its place.
constexpr const char* kCommandLine = "the command line";

// Where the job does not say how often: a run that is killed costs at most as much.
constexpr int kCheckpointSeconds = 60;

/// Says what failed, unless that was said; the exit code for it.
ExitCode fail(const Error& error, ExitCode otherwise, std::ostream& err) {
  return complain(err, error, endOf(error, otherwise).code);
}

/// Why the options do not go with a job that chooses its number of workers; empty if they do.
std::string autoscalingConflict(const RunOptions& options) {
  if (options.workers)
    return "spec.autoscaling chooses the number of workers of this job: leave out --workers, or "
           "take the section out with --set autoscaling=null";
  if (options.restarts == 0)
    return "spec.autoscaling changes the members of this run, and --restarts 0 fixes them";
  return {};
}

/// The field that keeps a job from choosing its number of workers here; empty if none does. In a
/// cluster it would be restarted for each change.
std::string autoscalingProblem(const job::TrainingJob& job) {
  if (!job.autoscaling || job.canChangeMembers()) return {};
  return "spec.autoscaling changes members while the job trains here: " + job.fixedMembersCause();
}

/// How the command line changes a document.
job::Overrides overridesOf(const RunOptions& options, std::optional<int> workers) {
  std::error_code ignored;
  return {.sets = options.sets,
          .workers = workers,
          .servers = options.servers,
          .transport = kTransport,
          .checkpoint_seconds = kCheckpointSeconds,
          .base = std::filesystem::current_path(ignored)};
}

/// The job that the command line itself describes. Its --workers and --servers are in the document.
job::Reading readProgramJob(const RunOptions& options) {
  job::Overrides overrides = overridesOf(options, {});
  overrides.servers.reset();
  if (options.prints_job) {
    overrides = {};
    overrides.sets = options.sets;
  }
  return job::readJob(documentOf(options.program, options.workers, options.servers), kCommandLine,
                      overrides, /*needs_to_run=*/true);
}

/// The job, resolved and fit to run; nothing after its problems were printed.
std::optional<job::Reading> readAndCheck(const RunOptions& options, std::istream& in,
                                         std::ostream& err) {
  const bool has_file = options.program.command.empty();
  const std::string file = !has_file              ? kCommandLine
                           : options.file.empty() ? RunFolder(options.resume).job().string()
                                                  : options.file;
  const auto text = has_file ? readDocument(file, in) : Result<std::string>(std::string());
  if (!text) {
    err << "error: " << text.error().message << std::endl;
    return std::nullopt;
  }
  const auto read = [&](std::optional<int> workers) {
    if (!has_file) return readProgramJob(options);
    return job::readJob(*text, file == "-" ? "<stdin>" : file, overridesOf(options, workers),
                        /*needs_to_run=*/true);
  };
  auto reading = read(options.workers);
  if (reading.job && reading.job->autoscaling && !options.workers)
    reading = read(sizedBeginning(options.resume, *reading.job,
                                  roomFor(*reading.job, worker::usableProcessors())));
  for (const std::string& warning : reading.warnings)
    err << "warning: " << warning << '\n';
  if (reading.job) return reading;
  err << job::problemList(reading.problems) << counted(std::ssize(reading.problems), "problem")
      << " in " << (file == "-" ? "<stdin>" : file) << std::endl;
  return std::nullopt;
}

/// Fails with kNotFound if the folder to resume, where there is one, is not that of a run.
Result<void> requireRun(const RunOptions& options) {
  if (options.resume.empty()) return {};
  const RunFolder folder(options.resume);
  std::error_code ignored;
  if (std::filesystem::exists(folder.job(), ignored)) return {};
  const bool has_checkpoints = std::filesystem::is_directory(folder.checkpoints(), ignored);
  if (has_checkpoints && !options.file.empty()) return {};
  return Error{ErrorCode::kNotFound,
               "cannot resume: " + options.resume.string() +
                   (has_checkpoints
                        ? " has no job.yaml; give the job's file, too: sumac run FILE --resume " +
                              shellWord(options.resume.string())
                        : " is not the folder of a run, it has no job.yaml")};
}

/// job.yaml of a run's folder.
std::string documentOf(const job::Reading& reading) {
  return "# The job with all defaults, as `sumac run` trained it.\n" +
         job::toYaml(*reading.resolved);
}

/// Whether a worker of the job fits into this machine. Servers would fail without a word first.
Result<void> checkMemory(const RunOptions& options, const job::Reading& reading) {
  if (!options.ask_memory) return {};
  // A text network's size may depend on its data, which are not read here: then nothing is known.
  const auto memory = options.ask_memory({}, reading.resolved.text());
  if (!memory || memory->bytes <= machineMemory()) return {};
  return Error{ErrorCode::kInvalid, "a worker needs about " + bytesText(memory->bytes) +
                                        ", this machine has " + bytesText(machineMemory()) +
                                        "; make the network or spec.training.batchSize smaller"};
}

/// Whether the limit of open files admits every process of the job, and ours.
Result<void> checkOpenFiles(const job::TrainingJob& job) {
  allowMostOpenFiles();
  const int workers =
      job.autoscaling ? roomFor(job, worker::usableProcessors()) : job.worker.replicas;
  const std::int64_t own = filesOfRun(workers + job.server.replicas);
  return requireOpenFiles(std::max(mostMemberFiles(job), own), "a process of this job");
}

/// The folder of this run, without files of another, or the one to resume.
Result<RunFolder> openFolder(const RunOptions& options, const std::string& name) {
  if (!options.resume.empty()) {
    if (std::filesystem::is_directory(options.resume)) return RunFolder(options.resume);
    return Error{ErrorCode::kNotFound,
                 "cannot resume: there is no folder " + options.resume.string()};
  }
  if (options.output.empty()) {
    return RunFolder::createNext(std::filesystem::path("runs") / (name + "-" + options.time));
  }
  RunFolder folder(options.output);
  if (auto created = folder.create(); !created) return created.error();
  return folder;
}

void announce(const job::TrainingJob& job, const RunFolder& folder, std::ostream& err) {
  const std::string servers = job.strategy.hasServers() ? counted(job.server.replicas, "server")
                                                        : std::string("no servers");
  err << job.name << ": " << counted(job.worker.replicas, "worker") << ", " << servers << ", "
      << counted(job.training.logical_workers, "logical worker") << "; output in "
      << folder.path().string() << "; checkpoints in " << folder.checkpoints().string() << " every "
      << checkpointInterval(job.checkpoint) << std::endl;
}

/// Of a run whose members may change; nothing of another.
std::optional<int> mostWorkers(const RunOptions& options, const job::TrainingJob& job) {
  const auto most = mostMembers(job, /*is_elastic=*/options.restarts > 0);
  return most ? std::optional(most->workers) : std::nullopt;
}

/// What the members of a job are started with.
LocalJobOptions membersFor(const RunOptions& options, const job::TrainingJob& job,
                           const RunFolder& folder, Attempt& attempt) {
  const int room = job.autoscaling ? roomFor(job, worker::usableProcessors()) : 0;
  return {.programs = options.programs,
          .folder = folder.path(),
          .job = attempt.job(),
          .servers = job.server.replicas,
          .workers = job.worker.replicas,
          .most_workers = mostWorkers(options, job),
          .restarts = options.restarts,
          .is_encrypted = job.transport == job::Transport::kCurve,
          .log_level = options.log_level,
          .log_format = options.log_format,
          .trace = options.trace,
          .observer = &attempt,
          .sharing_workers = room,
          .workers_cause = job.autoscaling ? "spec.autoscaling chooses the number of workers" : ""};
}

/// The program of a job's workers; nothing where they are our own. Fails where there is none.
Result<std::optional<UserProgram>> userProgram(const job::TrainingJob& job) {
  if (!job.program) return std::optional<UserProgram>();
  const auto surroundings = ourSurroundings();
  if (!surroundings) return surroundings.error();
  auto program = findUserProgram(*job.program, *surroundings);
  if (!program) return program.error();
  return std::optional(*std::move(program));
}

/// What is wrong with the job that a command line describes is wrong with the command line.
ExitCode codeOfDocument(const RunOptions& options) {
  return options.program.command.empty() ? ExitCode::kBadConfiguration : ExitCode::kUsage;
}

/// The flags with which workers read what the job's data are packed into; none where they load the
/// data as they are.
Result<std::vector<std::string>> dataFlags(const RunOptions& options, const job::Reading& reading) {
  if (!options.ask_cache || reading.job->data.format != job::DataFormat::kFolder)
    return std::vector<std::string>();
  const auto packed = options.ask_cache(reading.resolved.text());
  if (!packed) return packed.error();
  if (packed->empty()) return std::vector<std::string>();
  return std::vector<std::string>{member_flags::kPackedData, *packed};
}

/// Runs the members of a job, and joins what they trace.
Result<LocalJobResult> supervise(const LocalJobOptions& local, const RunFolder& folder,
                                 const Clock& clock, const Streams& streams) {
  if (local.trace.empty()) return superviseJob(local, clock, streams.err, streams.terminal);
  const std::vector<Slot> members = slotsOf(local.servers, local.workers);
  removeTrace(folder, members);
  auto result = superviseJob(local, clock, streams.err, streams.terminal);
  const auto steps = trace::stepRangeFrom(local.trace).value();
  for (const std::string& problem : joinTrace(folder, members, steps))
    streams.err << "warning: trace: " << problem << std::endl;
  return result;
}

/// Checks that a run can be resumed in its folder, and says from where. Returns nothing if it can,
/// else the exit code.
std::optional<ExitCode> settleResumption(const RunFolder& folder, const job::Reading& reading,
                                         bool from_start, std::ostream& err) {
  const auto resumption = checkResumption(folder, reading);
  if (!resumption) return fail(resumption.error(), ExitCode::kBadConfiguration, err);
  const auto step = newestCheckpoint(folder, err);
  const auto fits = !step   ? Result<void>(step.error())
                    : *step ? checkResumedKernels(folder, **step, *reading.job)
                            : Result<void>();
  if (!fits) return fail(fits.error(), ExitCode::kBadConfiguration, err);
  if (*resumption == Resumption::kComplete) {
    err << "this run is complete already; its result is in " << folder.output().result().string()
        << std::endl;
    return ExitCode::kDone;
  }
  const auto begins = checkBeginning(folder, *step, from_start);
  if (!begins) return fail(begins.error(), ExitCode::kUsage, err);
  const auto begun = beginAgain(folder, *step, err);
  if (!begun) return fail(begun.error(), ExitCode::kFailed, err);
  return std::nullopt;
}

/// Trains in a folder that is locked.
ExitCode runIn(const RunFolder& folder, const Descriptor& lock, const RunOptions& options,
               const job::Reading& reading, const Clock& clock, const Streams& streams) {
  const job::TrainingJob& job = *reading.job;
  auto program = userProgram(job);
  if (!program) return fail(program.error(), codeOfDocument(options), streams.err);
  const auto failed = [&streams](const Error& error) {
    return fail(error, ExitCode::kFailed, streams.err);
  };
  auto flags = dataFlags(options, reading);
  if (!flags) return fail(flags.error(), ExitCode::kBadConfiguration, streams.err);
  auto attempt = Attempt::prepare(folder, documentOf(reading));
  if (!attempt) return failed(attempt.error());
  checkpoint::removeUnfinished(folder.checkpoints());
  announce(job, folder, streams.err);
  LocalJobOptions local = membersFor(options, job, folder, *attempt);
  const auto keys = RunKeys::make(folder.keys(), job, local.most_workers.value_or(local.workers));
  if (!keys) return failed(keys.error());
  local.worker_flags = *std::move(flags);
  local.program = *std::move(program);
  std::optional<SizedRun> sized;
  if (job.autoscaling) {
    streams.err << sizingBegin(job, local.sharing_workers) << noteOnReplicas(reading);
    sized.emplace(options.resume, job, local.sharing_workers, clock.now(), *attempt);
    streams.err << sized->beginText() << std::flush;
    local.observer = &sized->autoscaler();
  }
  const auto result = supervise(local, folder, clock, streams);
  if (const auto ended = attempt->end(); !ended)
    streams.err << "warning: " << ended.error().message << std::endl;
  if (!result) return failed(result.error());
  if (const auto there = requireStillThere(folder, lock); !there)
    return complain(streams.err, there.error(),
                    result->code == ExitCode::kDone ? ExitCode::kFailed : result->code);
  const bool is_complete = result->code == ExitCode::kDone || attempt->result();
  const auto sizing = sized ? std::optional(sized->record()) : std::nullopt;
  if (!is_complete) return showEnd(job, *result, folder, sizing, streams);
  return showResult(job, *result, folder, sizing, options, streams);
}

/// A folder that we chose the name of is of no use where the job could not even begin.
void dropUnused(const RunFolder& folder, ExitCode code, std::ostream& err) {
  const bool was_killed = code == ExitCode::kLostPeers || code == ExitCode::kBrokenInvariant;
  if (code == ExitCode::kDone || was_killed || !folder.removeUnused()) return;
  err << "nothing was trained: removed " << folder.path().string() << std::endl;
}

}  // namespace

ExitCode run(const RunOptions& options, const Clock& clock, Streams streams) {
  if (const auto is_run = requireRun(options); !is_run)
    return complain(streams.err, is_run.error(), ExitCode::kUsage);
  const auto reading = readAndCheck(options, streams.in, streams.err);
  if (!reading) return codeOfDocument(options);
  const job::TrainingJob& job = *reading->job;
  if (options.prints_job) {
    streams.out << job::toYaml(*reading->document) << std::flush;
    return ExitCode::kDone;
  }
  if (const auto program = userProgram(job); !program)
    return fail(program.error(), codeOfDocument(options), streams.err);
  if (const auto conflict = autoscalingConflict(options); job.autoscaling && !conflict.empty())
    return complain(streams.err, conflict, ExitCode::kUsage);
  if (const auto problem = autoscalingProblem(job); !problem.empty())
    return complain(streams.err, problem, ExitCode::kBadConfiguration);
  if (const auto fits = checkMemory(options, *reading); !fits)
    return complain(streams.err, fits.error(), ExitCode::kBadConfiguration);
  if (const auto files = checkOpenFiles(job); !files)
    return fail(files.error(), ExitCode::kFailed, streams.err);
  if (const auto reachable = checkLoopback(); !reachable)
    return complain(streams.err, reachable.error(), ExitCode::kFailed);
  const auto folder = openFolder(options, job.name);
  if (!folder) return fail(folder.error(), ExitCode::kUsage, streams.err);
  const auto lock = lockFolder(*folder);
  if (!lock) return complain(streams.err, lock.error(), ExitCode::kUsage);
  if (!options.resume.empty()) {
    const auto code = settleResumption(*folder, *reading, options.from_start, streams.err);
    if (code) return *code;
  } else {
    folder->removeLeftovers();
  }
  const ExitCode code = runIn(*folder, *lock, options, *reading, clock, streams);
  if (options.resume.empty() && options.output.empty()) dropUnused(*folder, code, streams.err);
  return code;
}

}  // namespace sumac::cli
