#include "cli/run/sized_run.h"

#include <algorithm>
#include <chrono>

#include "cli/run/folder.h"
#include "planner/autoscaling/policy_of.h"

namespace sumac::cli {
namespace {

/// As it is now: the time between attempts counts for a deadline. Nothing where there was none, or
/// it was killed.
std::optional<SizingRecord> earlierSizing(const std::filesystem::path& resume) {
  if (resume.empty()) return std::nullopt;
  auto earlier = readSizing(RunFolder(resume).output().result());
  if (!earlier) return std::nullopt;
  const std::chrono::duration<double> passed = SystemWallClock().now() - earlier->started;
  earlier->course.now = std::max(earlier->course.now, passed.count());
  return earlier;
}

}  // namespace

int sizedBeginning(const std::filesystem::path& resume, const job::TrainingJob& job, int room) {
  const int least = job.worker.min_replicas.value_or(1);
  const auto earlier = earlierSizing(resume);
  return earlier ? std::clamp(earlier->course.wanted, least, std::max(least, room)) : least;
}

SizedRun::SizedRun(const std::filesystem::path& resume, const job::TrainingJob& job, int room,
                   TimePoint now, JobObserver& other)
    : is_resumed_(!resume.empty()),
      earlier_(earlierSizing(resume)),
      started_(earlier_ ? earlier_->started : SystemWallClock().now()) {
  if (earlier_) earlier_->policy = autoscaling::policyOf(*job.autoscaling);
  autoscaler_.emplace(job, room, now, &other, earlier_);
}

std::string SizedRun::beginText() const {
  if (!is_resumed_) return {};
  if (earlier_) return "autoscaling so far: " + sizingText(*earlier_, /*is_complete=*/false) + "\n";
  return "note: nothing tells how the earlier attempt sized itself: deadlineSeconds and "
         "cost.budget "
         "count anew, and sizes are observed again\n";
}

SizingRecord SizedRun::record() const {
  SizingRecord record = autoscaler_->record();
  record.started = started_;
  return record;
}

}  // namespace sumac::cli
