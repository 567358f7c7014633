#include "cli/run/run.h"

#include <csignal>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/document/document.h"
#include "cli/run/folder.h"
#include "cli/run/keys.h"
#include "cli/run/local_job.h"
#include "cli/run/loopback.h"
#include "cli/run/report.h"
#include "cli/run/resume.h"
#include "cli/run/trace.h"
#include "cli/terminal/terminal.h"
#include "common/base/file.h"
#include "common/base/text.h"
#include "common/checkpoint/checkpoint.h"
#include "common/job/job.h"
#include "common/job/yaml_writer.h"

namespace sumac::cli {
namespace {

constexpr std::uint64_t kMaxResultBytes = 65'536;

// Others cannot read loopback traffic, and encryption would cost a third of a small network's speed
// (docs/performance.md): here it must be asked for. In a cluster it is the default.
constexpr const char* kTransport = "none";

void complain(std::ostream& err, const std::string& what) {
  err << "error: " << what << std::endl;
}

/// The job, resolved and fit to run; nothing after its problems were printed.
std::optional<job::Reading> readAndCheck(const RunOptions& options, std::istream& in,
                                         std::ostream& err) {
  const std::string file =
      options.file.empty() ? RunFolder(options.resume).job().string() : options.file;
  const auto text = readDocument(file, in);
  if (!text) {
    complain(err, text.error().message);
    return std::nullopt;
  }
  std::error_code ignored;
  auto reading = job::readJob(*text, file == "-" ? "<stdin>" : file,
                              {options.sets, options.workers, options.servers, kTransport,
                               std::filesystem::current_path(ignored)},
                              /*needs_to_run=*/true);
  for (const std::string& warning : reading.warnings)
    err << "warning: " << warning << '\n';
  if (reading.job) return reading;
  err << job::problemList(reading.problems) << std::endl;
  return std::nullopt;
}

/// Fails with kNotFound if `resume`, where it is given, is not the folder of a run.
Result<void> requireRun(const std::filesystem::path& resume) {
  std::error_code ignored;
  if (resume.empty() || std::filesystem::exists(RunFolder(resume).job(), ignored)) return {};
  return Error{ErrorCode::kNotFound, "cannot resume: " + resume.string() +
                                         " is not the folder of a run, it has no job.yaml"};
}

/// job.yaml of a run's folder.
std::string documentOf(const job::Reading& reading) {
  return "# The job with all defaults, as `sumac run` trained it.\n" +
         job::toYaml(nlohmann::ordered_json::parse(reading.resolved));
}

/// Whether a worker of the job fits into this machine. Servers would fail without a word first.
Result<void> checkMemory(const RunOptions& options, const job::Reading& reading) {
  if (!options.ask_memory) return {};
  // A text network's size may depend on its data, which are not read here: then nothing is known.
  const auto memory = options.ask_memory({}, reading.resolved);
  if (!memory || memory->bytes <= machineMemory()) return {};
  return Error{ErrorCode::kInvalid, "a worker needs about " + bytesText(memory->bytes) +
                                        ", this machine has " + bytesText(machineMemory()) +
                                        "; make the network or spec.training.batchSize smaller"};
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

Result<std::optional<Step>> newestCheckpoint(const RunFolder& folder, std::ostream& err) {
  std::vector<std::string> warnings;
  auto step = checkpoint::newest(folder.checkpoints(), warnings);
  for (const std::string& warning : warnings)
    err << "warning: " << warning << '\n';
  return step;
}

void announce(const job::TrainingJob& job, const RunFolder& folder, std::ostream& err) {
  const std::string servers = job.strategy.hasServers() ? counted(job.server.replicas, "server")
                                                        : std::string("no servers");
  err << job.name << ": " << counted(job.worker.replicas, "worker") << ", " << servers << ", "
      << counted(job.training.logical_workers, "logical worker") << "; output in "
      << folder.path().string() << std::endl;
}

void announceResumption(std::optional<Step> step, std::ostream& err) {
  if (step) err << "resuming from the checkpoint of step " << *step << std::endl;
  if (!step) err << "no complete checkpoint found: starting from step 0" << std::endl;
}

/// Says that the disk is full: members may not have been able to write that.
void explainFullDisk(const RunFolder& folder, std::ostream& err) {
  constexpr std::uintmax_t kFull = 1'000'000;
  std::error_code error;
  const auto space = std::filesystem::space(folder.path(), error);
  if (error || space.available >= kFull) return;
  err << "the disk of " << folder.path().string() << " is full: " << bytesText(space.available)
      << " left" << std::endl;
}

void explainFailure(const Failure& failure, const RunFolder& folder, std::ostream& err) {
  constexpr int kReasonLines = 4;
  constexpr int kLogLines = 10;
  complain(err, failure.text());
  err << RunFolder::tail(folder.terminationFile(failure.slot), kReasonLines);
  const auto tail = RunFolder::tail(folder.log(failure.slot), kLogLines);
  if (!tail.empty()) err << "  end of " << folder.log(failure.slot).string() << ":\n" << tail;
  explainFullDisk(folder, err);
}

/// Names who did not answer, as the coordinator says and as we saw it.
void explainStop(const LocalJobResult& result, const RunFolder& folder, std::ostream& err) {
  err << "stopped by " << (result.stop_signal == SIGINT ? "Ctrl-C" : "a signal") << std::endl;
  const auto reason = RunFolder::tail(folder.terminationFile(result.coordinator), 1);
  // That the coordinator was asked to stop is no news; what follows is.
  if (const auto news = reason.find("; "); news != reason.npos)
    err << "  " << reason.substr(news + 2);
  for (const Slot slot : result.unanswered)
    err << "  " << toString(slot) << " did not end and was killed\n";
}

void sayHowToResume(ExitCode code, const RunFolder& folder, std::ostream& err) {
  const auto step = newestCheckpoint(folder, err);
  const bool has_failed = code == ExitCode::kFailed;
  if (!step || !*step) {
    if (has_failed) return;
    err << (step ? "there is no checkpoint to resume from" : step.error().message) << std::endl;
    return;
  }
  err << "to resume from the checkpoint of step " << **step
      << (has_failed ? " once the cause is fixed" : "") << ":\n  sumac run --resume "
      << shellWord(folder.path().string()) << std::endl;
}

/// What a finished job's lowest worker wrote.
Result<JobResult> readResult(const RunFolder& folder) {
  const auto text = readTextFile(folder.output().result(), kMaxResultBytes);
  if (!text) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  return jobResultFromJson(json);
}

/// Shows a run that ended well. Returns whether its result could be read.
bool report(const std::string& name, const RunFolder& folder, Streams streams) {
  const auto result = readResult(folder);
  if (!result) {
    complain(streams.err, "the job ended without a usable " + folder.output().result().string() +
                              ": " + result.error().message + "; see the logs beside it");
    return false;
  }
  const std::string times = timeTable(*result);
  streams.out << resultTable(name, *result) << '\n'
              << times << (times.empty() ? "" : "\n") << fileTable(folder) << std::flush;
  return true;
}

ExitCode conclude(const std::string& name, const LocalJobResult& result, const RunFolder& folder,
                  const Descriptor& lock, Streams streams) {
  if (const auto there = requireStillThere(folder, lock); !there) {
    complain(streams.err, there.error().message);
    return result.code == ExitCode::kDone ? ExitCode::kFailed : result.code;
  }
  if (result.code == ExitCode::kDone) {
    return report(name, folder, streams) ? ExitCode::kDone : ExitCode::kFailed;
  }
  if (result.failure) {
    explainFailure(*result.failure, folder, streams.err);
  } else {
    explainStop(result, folder, streams.err);
  }
  const auto code = result.code;
  if (code != ExitCode::kUsage && code != ExitCode::kBadConfiguration) {
    sayHowToResume(code, folder, streams.err);
  }
  return code;
}

/// Runs the members of a job, and joins what they trace.
Result<LocalJobResult> supervise(const RunOptions& options, const job::TrainingJob& job,
                                 const RunFolder& folder, const Clock& clock,
                                 const Streams& streams) {
  const LocalJobOptions local{options.programs,
                              folder.path(),
                              job.server.replicas,
                              job.worker.replicas,
                              job.transport == job::Transport::kCurve,
                              options.log_level,
                              options.log_format,
                              options.trace};
  if (options.trace.empty()) return superviseJob(local, clock, streams.err, streams.terminal);
  const std::vector<Slot> members = membersOf(local.servers, local.workers);
  removeTrace(folder, members);
  auto result = superviseJob(local, clock, streams.err, streams.terminal);
  const auto steps = trace::stepRangeFrom(options.trace).value();
  for (const std::string& problem : joinTrace(folder, members, steps))
    streams.err << "warning: trace: " << problem << std::endl;
  return result;
}

/// Checks that a run can be resumed in its folder, and says from where. Returns nothing if it can,
/// else the exit code.
std::optional<ExitCode> settleResumption(const RunFolder& folder, const job::Reading& reading,
                                         std::ostream& err) {
  const auto resumption = checkResumption(folder, reading);
  if (!resumption) {
    complain(err, resumption.error().message);
    return ExitCode::kBadConfiguration;
  }
  const auto step = newestCheckpoint(folder, err);
  const auto fits = !step   ? Result<void>(step.error())
                    : *step ? checkResumedKernels(folder, **step, *reading.job)
                            : Result<void>();
  if (!fits) {
    complain(err, fits.error().message);
    return ExitCode::kBadConfiguration;
  }
  if (*resumption == Resumption::kComplete) {
    err << "this run is complete already; its result is in " << folder.output().result().string()
        << std::endl;
    return ExitCode::kDone;
  }
  announceResumption(*step, err);
  folder.output().removeResult();  // of the earlier, shorter run
  return std::nullopt;
}

}  // namespace

ExitCode run(const RunOptions& options, const Clock& clock, Streams streams) {
  if (const auto is_run = requireRun(options.resume); !is_run) {
    complain(streams.err, is_run.error().message);
    return ExitCode::kUsage;
  }
  const auto reading = readAndCheck(options, streams.in, streams.err);
  if (!reading) return ExitCode::kBadConfiguration;
  const job::TrainingJob& job = *reading->job;
  if (const auto fits = checkMemory(options, *reading); !fits) {
    complain(streams.err, fits.error().message);
    return ExitCode::kBadConfiguration;
  }
  if (const auto reachable = checkLoopback(); !reachable) {
    complain(streams.err, reachable.error().message);
    return ExitCode::kFailed;
  }
  const auto folder = openFolder(options, job.name);
  if (!folder) {
    complain(streams.err, folder.error().message);
    return ExitCode::kUsage;
  }
  const auto lock = lockFolder(*folder);
  if (!lock) {
    complain(streams.err, lock.error().message);
    return ExitCode::kUsage;
  }
  if (!options.resume.empty()) {
    if (const auto code = settleResumption(*folder, *reading, streams.err)) return *code;
  } else {
    folder->removeLeftovers();
  }
  const std::string document = documentOf(*reading);
  if (const auto written = replaceFile(folder->job(), asBytes(document)); !written) {
    complain(streams.err, written.error().message);
    return ExitCode::kFailed;
  }
  announce(job, *folder, streams.err);
  const auto keys = RunKeys::make(folder->keys(), job);
  if (!keys) {
    complain(streams.err, keys.error().message);
    return ExitCode::kFailed;
  }
  const auto result = supervise(options, job, *folder, clock, streams);
  if (!result) {
    complain(streams.err, result.error().message);
    return ExitCode::kFailed;
  }
  return conclude(job.name, *result, *folder, *lock, streams);
}

}  // namespace sumac::cli
