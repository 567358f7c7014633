#include "cli/run/resume.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/checkpoint/checkpoint.h"
#include "common/job/network_of.h"
#include "common/membership/join_request.h"
#include "common/plan/kernel_choice.h"
#include "common/plan/plan_text.h"

namespace sumac::cli {
namespace {

// A text job may leave its vocabulary to the data, which are not read here: any number will do, as
// both sides get the same.
constexpr int kUnknownVocabulary = 2;

std::string bitsOf(const job::TrainingJob& job) {
  const auto network = job::networkOf(job, kUnknownVocabulary);
  return network ? bitsText(job, *network) : std::string();
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

Result<Resumption> checkResumption(const RunFolder& folder, const job::Reading& wanted) {
  const auto text = readTextFile(folder.job(), RunFolder::kMaxJobBytes);
  if (!text) {
    return Error{ErrorCode::kNotFound,
                 folder.path().string() + " is not the folder of a run: " + text.error().message};
  }
  const auto before = job::readJob(*text, folder.job().string(), {}, /*needs_to_run=*/true);
  if (!before.job) return Resumption::kResume;  // of another version: its checkpoints decide
  const auto difference =
      planDifference(bitsOf(*before.job), bitsOf(*wanted.job), "this job", /*all=*/true, "the run");
  if (!difference.empty()) {
    return Error{ErrorCode::kConflict,
                 "the run in " + folder.path().string() +
                     " belongs to another job and cannot be resumed as this one: " + difference};
  }
  const bool same_length = before.job->training.steps == wanted.job->training.steps &&
                           before.job->training.epochs == wanted.job->training.epochs;
  const bool has_result = std::filesystem::exists(folder.output().result());
  return same_length && has_result ? Resumption::kComplete : Resumption::kResume;
}

Result<void> checkResumedKernels(const RunFolder& folder, Step step, const job::TrainingJob& job) {
  const auto origin = checkpoint::originOf(folder.checkpoints(), step);
  if (!origin) return origin.error();
  return checkKernels(job.training.kernels, step, origin->numerics);
}

}  // namespace sumac::cli
