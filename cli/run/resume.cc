#include "cli/run/resume.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/core/file.h"
#include "base/terminal/terminal.h"
#include "engine/checkpoint/checkpoint.h"
#include "exchange/membership/join_request.h"
#include "exchange/plan/kernel_check.h"
#include "exchange/plan/plan_text.h"
#include "job/document/network_of.h"
#include "job/model/network.h"

namespace sumac::cli {
namespace {

// A text job may leave its vocabulary to the data, which are not read here: any number will do, as
// both sides get the same.
constexpr int kUnknownVocabulary = 2;

std::string networkText(const model::Network& network) {
  return (network.name == "custom" ? "own layers" : network.name) + " of " +
         std::to_string(network.parameters) + " parameters";
}

/// Whether a job ended well and all that it wrote is still there.
bool isComplete(const OutputFolder& output) {
  const auto result = output.readResult();
  std::error_code ignored;
  return result && (result->model_path.empty() || std::filesystem::exists(output.model(), ignored));
}

/// What makes the runs of two jobs different, in words of the document; empty if nothing does.
std::string differenceOf(const job::TrainingJob& before, const job::TrainingJob& wanted) {
  if (before.program || wanted.program) {
    if (before.program.has_value() != wanted.program.has_value()) {
      return wanted.program ? "this job has spec.program, the run has spec.model"
                            : "this job has spec.model, the run has spec.program";
    }
    return planDifference(bitsText(before, {}), bitsText(wanted, {}), "this job", /*all=*/true,
                          "the run");
  }
  const auto ours = job::networkOf(before, kUnknownVocabulary);
  const auto theirs = job::networkOf(wanted, kUnknownVocabulary);
  if (ours && theirs && model::canonicalText(*ours) != model::canonicalText(*theirs)) {
    const std::string had = networkText(*ours);
    const std::string has = networkText(*theirs);
    // Many layers have no parameters.
    if (had == has) return "spec.model: this job has other layers than the run";
    return "spec.model: this job has " + has + ", the run has " + had;
  }
  const auto textOf = [](const job::TrainingJob& job, const auto& network) {
    return network ? bitsText(job, *network) : std::string();
  };
  return planDifference(textOf(before, ours), textOf(wanted, theirs), "this job", /*all=*/true,
                        "the run");
}

}  // namespace

Result<Descriptor> lockFolder(const RunFolder& folder) {
  Descriptor lock(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) {
    return Error{ErrorCode::kNotFound, "cannot open folder " + folder.path().string()};
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::kConflict, "another sumac run uses " + folder.path().string() +
                                           "; wait until it ends or choose another folder"};
  }
  return lock;
}

Result<void> requireStillThere(const RunFolder& folder, const Descriptor& lock) {
  struct stat locked {};
  struct stat there {};
  const bool is_same = ::fstat(lock.get(), &locked) == 0 &&
                       ::stat(folder.path().c_str(), &there) == 0 &&
                       locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
  if (is_same) return {};
  return Error{ErrorCode::kNotFound,
               "the folder " + folder.path().string() +
                   " was deleted or replaced while the job ran; what was in it is lost"};
}

Result<std::optional<Step>> newestCheckpoint(const RunFolder& folder, std::ostream& err) {
  std::vector<std::string> warnings;
  auto step = checkpoint::newest(folder.checkpoints(), warnings);
  for (const std::string& warning : warnings)
    err << "warning: " << warning << '\n';
  return step;
}

Result<Resumption> checkResumption(const RunFolder& folder, const job::Reading& wanted) {
  const auto text = readTextFile(folder.job(), RunFolder::kMaxJobBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return Resumption::kResume;
  if (!text) return text.error();
  const auto before = job::readJob(*text, folder.job().string(), {}, /*needs_to_run=*/true);
  if (!before.job) return Resumption::kResume;  // of another version: its checkpoints decide
  const auto difference = differenceOf(*before.job, *wanted.job);
  if (!difference.empty()) {
    return Error{ErrorCode::kConflict,
                 "the run in " + folder.path().string() +
                     " belongs to another job and cannot be resumed as this one: " + difference};
  }
  const bool same_length = before.job->training.steps == wanted.job->training.steps &&
                           before.job->training.epochs == wanted.job->training.epochs;
  return same_length && isComplete(folder.output()) ? Resumption::kComplete : Resumption::kResume;
}

Result<void> checkResumedKernels(const RunFolder& folder, Step step, const job::TrainingJob& job) {
  const auto origin = checkpoint::originOf(folder.checkpoints(), step);
  if (!origin) return origin.error();
  return checkKernels(job.training.kernels, step, origin->numerics);
}

std::string fromStartCommand(const RunFolder& folder) {
  return "sumac run --resume " + shellWord(folder.path().string()) + " --from-start";
}

Result<void> checkBeginning(const RunFolder& folder, std::optional<Step> step, bool from_start) {
  const std::string place = folder.path().string();
  if (step && from_start) {
    return Error{ErrorCode::kConflict,
                 place + " has a checkpoint of step " + std::to_string(*step) +
                     "; resume from it without --from-start, or train again in another folder"};
  }
  if (step || from_start) return {};
  return Error{ErrorCode::kConflict, place +
                                         " has no complete checkpoint to resume from; to train "
                                         "again from step 0 and keep its metrics.jsonl:\n  " +
                                         fromStartCommand(folder)};
}

Result<void> beginAgain(const RunFolder& folder, std::optional<Step> step, std::ostream& err) {
  if (step) {
    err << "resuming from the checkpoint of step " << *step << std::endl;
    return {};
  }
  const auto aside = folder.output().setMetricsAside();
  if (!aside) return aside.error();
  err << "training again from step 0";
  if (!aside->empty())
    err << "; the older metrics.jsonl is " << aside->filename().string() << " now";
  err << std::endl;
  return {};
}

}  // namespace sumac::cli
