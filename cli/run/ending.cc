#include "cli/run/ending.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/core/check.h"
#include "base/core/units.h"
#include "base/terminal/terminal.h"
#include "cli/run/resume.h"
#include "engine/checkpoint/checkpoint.h"

namespace sumac::cli {
namespace {

constexpr int kReasonLines = 4;  // of what a member wrote of its end
constexpr int kLogLines = 10;

/// Says that the disk is full: members may not have been able to write that.
void explainFullDisk(const RunFolder& folder, std::ostream& err) {
  constexpr std::uintmax_t kFull = 1'000'000;
  std::error_code error;
  const auto space = std::filesystem::space(folder.path(), error);
  const bool is_known = !error && space.capacity > 0;  // not of every network file system
  if (!is_known || space.available >= kFull) return;
  err << "the disk of " << folder.path().string() << " is full: " << bytesText(space.available)
      << " left" << std::endl;
}

std::string stopText(const LocalJobResult& result) {
  return std::string("stopped by ") + (result.stop_signal == SIGINT ? "Ctrl-C" : "a signal");
}

/// The last step that is known to be done: told in this attempt, written by worker 0 or an earlier
/// attempt, or of the checkpoint that this attempt began with.
Step lastStep(const LocalJobResult& result, const RunFolder& folder) {
  std::vector<std::string> ignored;
  const auto kept = checkpoint::newest(folder.checkpoints(), ignored);
  return std::max({result.last_step, folder.output().lastStep(), kept && *kept ? **kept : Step(0)});
}

/// Says that there is nothing to resume from and, before the first checkpoint, when it comes.
std::string nothingIsKept(const job::CheckpointSpec& checkpoint, Step last) {
  if (checkpoint.every_steps > 0 && last > checkpoint.every_steps)
    return "there is no checkpoint to resume from";
  return "nothing was kept yet: there is no checkpoint to resume from, the first comes after " +
         checkpointInterval(checkpoint) +
         (checkpoint.every_seconds > 0 ? " (spec.checkpoint)" : " (spec.checkpoint.everySteps)");
}

}  // namespace

std::string checkpointInterval(const job::CheckpointSpec& checkpoint) {
  std::string text = counted(checkpoint.every_steps, "step");
  if (checkpoint.every_seconds > 0)
    text += " or " + std::to_string(checkpoint.every_seconds) + " s";
  return text;
}

void explainFailure(const LocalJobResult& result, const RunFolder& folder, std::ostream& err) {
  SUMAC_CHECK(result.failure);
  const Failure& failure = *result.failure;
  err << "error: " << failure.text() << std::endl;
  const auto reason = RunFolder::lastLines(failure.reason, kReasonLines);
  err << reason;
  const auto begin = result.log_begins.find(failure.slot);
  const auto log = folder.logTail(failure.slot, kLogLines, /*without_end=*/!reason.empty(),
                                  begin == result.log_begins.end() ? 0 : begin->second);
  if (!log.empty()) err << "  end of " << folder.log(failure.slot).string() << ":\n" << log;
  explainFullDisk(folder, err);
}

std::string causeInLines(const LocalJobResult& result, const RunFolder& folder) {
  SUMAC_CHECK(result.failure);
  const Failure& failure = *result.failure;
  std::string more = RunFolder::lastLines(failure.reason, kReasonLines);
  if (more.empty()) more = RunFolder::tail(folder.log(failure.slot), kLogLines);
  std::string cause = failure.text() + "\n" + more;
  cause.erase(cause.find_last_not_of('\n') + 1);
  return cause;
}

void explainStop(const LocalJobResult& result, std::ostream& err) {
  err << stopText(result) << std::endl;
  const auto reason = RunFolder::onOneLine(result.coordinator_reason);
  // That the coordinator was asked to stop is no news; what follows is.
  if (const auto news = reason.find("; "); news != reason.npos)
    err << "  " << reason.substr(news + 2) << '\n';
  for (const Slot slot : result.unanswered)
    err << "  " << toString(slot) << " did not end and was killed\n";
}

JobEnd endOfRun(const std::string& name, const LocalJobResult& result, const RunFolder& folder,
                WallTime now) {
  JobEnd end{name, result.code, lastStep(result, folder), {}, now};
  if (result.failure) {
    const std::string reason = RunFolder::onOneLine(result.failure->reason);
    end.message = result.failure->text() + (reason.empty() ? "" : ": " + reason);
  } else {
    end.message = stopText(result);
  }
  return end;
}

void sayHowToResume(const JobEnd& end, const RunFolder& folder, const job::TrainingJob& job,
                    std::ostream& err) {
  const auto step = newestCheckpoint(folder, err);
  const bool has_failed = end.code == ExitCode::kFailed || end.code == ExitCode::kBadConfiguration;
  if (!step || !*step) {
    if (has_failed || !folder.output().hasTrained()) return;  // nothing is lost
    err << (step ? nothingIsKept(job.checkpoint, end.step) + "; to train again from step 0:\n  " +
                       fromStartCommand(folder)
                 : step.error().message)
        << std::endl;
    return;
  }
  err << "to resume from the checkpoint of step " << **step
      << (has_failed ? " once the cause is fixed" : "") << ":\n  sumac run --resume "
      << shellWord(folder.path().string()) << std::endl;
}

}  // namespace sumac::cli
