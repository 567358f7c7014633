#include "cli/run/autoscaler.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

#include "base/core/units.h"
#include "planner/report/autoscaling_words.h"
#include "planner/report/size_words.h"

namespace sumac::cli {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
// Before a change was measured: on one machine it stops the job for some hundredths of a second
// (docs/performance.md), and processes share its cores while one starts.
constexpr double kChangeHereSeconds = 0.5;

autoscaling::SizedJob sizedHere(const job::TrainingJob& job) {
  autoscaling::SizedJob sized = autoscaling::sizedJobOf(job);
  sized.change_seconds = kChangeHereSeconds;
  return sized;
}

/// The fewest workers; or as many as the job begins with, and what an earlier attempt has left.
autoscaling::SizingCourse beginningOf(const job::TrainingJob& job,
                                      const std::optional<SizingRecord>& earlier) {
  autoscaling::SizingCourse course = earlier ? earlier->course : autoscaling::SizingCourse();
  course.wanted = earlier ? job.worker.replicas : job.worker.min_replicas.value_or(1);
  course.workers = course.wanted;
  course.since = course.now;
  return course;
}

/// Whether it says that a size is to stay, and not that it is too early to say so.
bool isToStay(autoscaling::Reason reason) {
  using enum autoscaling::Reason;
  return reason == kRightSize || reason == kNotWorth || reason == kStraggler;
}

Duration seconds(double count) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(count));
}

}  // namespace

int roomFor(const job::TrainingJob& job, const worker::Processors& processors) {
  const double cores = processors.cores;
  const double whole = std::floor(std::min(cores, processors.quota.value_or(cores)));
  const int room = static_cast<int>(whole) / std::max(1, job.training.threads);
  const int least = job.worker.min_replicas.value_or(1);
  return std::clamp(room, least, std::max(least, job.worker.max_replicas.value_or(least)));
}

std::string sizingBegin(const job::TrainingJob& job, int room) {
  const int least = job.worker.min_replicas.value_or(1);
  const int most = job.worker.max_replicas.value_or(least);
  std::string text = "autoscaling: " + std::string(job::toString(job.autoscaling->policy)) +
                     " chooses from " + std::to_string(least) + " to " + counted(most, "worker");
  if (room < most)
    text += "; here at most " + std::to_string(room) +
            ", by this machine's cores and spec.training.threads";
  text += '\n';
  const std::string sizes = planner::sizesText(
      {.parts = job.training.logical_workers, .workers = room, .least = least, .most = room});
  if (!sizes.empty()) text += "note: " + sizes + '\n';
  return text;
}

Autoscaler::Autoscaler(const job::TrainingJob& job, int room, TimePoint now, JobObserver* other,
                       const std::optional<SizingRecord>& earlier)
    : begun_(earlier ? now - seconds(earlier->course.now) : now),
      other_(other),
      sizer_(sizedHere(job), beginningOf(job, earlier)) {
  if (earlier) decisions_ = earlier->changes;
  setRoom(room);
}

void Autoscaler::setRoom(int room) {
  sizer_.setRoom(autoscaling::Room{.most = room, .until = kForever});
}

double Autoscaler::secondsAt(TimePoint time) const {
  return secondsBetween(begun_, time);
}

void Autoscaler::onEvent(const JobEvent& event, TimePoint now) {
  sizer_.advance(secondsAt(now));
  if (const auto* roster = std::get_if<RosterBegan>(&event)) {
    onRoster(*roster, now);
  } else if (const auto* change = std::get_if<MembersChanged>(&event)) {
    onChange(*change);
  } else if (const auto* progress = std::get_if<Progress>(&event)) {
    onProgress(*progress, now);
  } else if (const auto* interim = std::get_if<Interim>(&event)) {
    onProgress(interim->progress, now);
  }
  if (other_ != nullptr) other_->onEvent(event, now);
}

std::optional<TimePoint> Autoscaler::stopAt() const {
  return other_ == nullptr ? std::nullopt : other_->stopAt();
}

void Autoscaler::onRoster(const RosterBegan& roster, TimePoint now) {
  const auto workers =
      std::ranges::count_if(roster.members, [](Slot slot) { return slot.role == Role::kWorker; });
  sizer_.trains(static_cast<int>(workers), secondsAt(now));
}

/// A loss stops the job for longer than what we ask for.
void Autoscaler::onChange(const MembersChanged& change) {
  if (!is_pause_awaited_ || change.workers != sizer_.course().wanted) return;
  is_pause_awaited_ = false;
  sizer_.paused(change.pause_seconds);
}

void Autoscaler::onProgress(const Progress& progress, TimePoint now) {
  const int before = sizer_.course().wanted;
  sizer_.progressed(progress, secondsAt(now));
  const autoscaling::Decision decision = sizer_.decide(secondsAt(now));
  const planner::SizeDecision made{sizer_.job().policy, before, decision};
  if (decision.workers == before) {
    // Each reason once, until the number changes.
    if (!isToStay(decision.reason) || !told_.insert(decision.reason).second) return;
    note_ = planner::sizeStayText(made, progress.step);
  } else {
    told_.clear();
    resize_ = Resize{now, decision.workers, planner::sizeChangeText(made, progress.step)};
    is_pause_awaited_ = true;
  }
  decisions_.push_back({progress.step, secondsAt(now), before, decision.workers, decision.reason,
                        planner::reasonText(made)});
}

SizingRecord Autoscaler::record() const {
  SizingRecord record{.policy = sizer_.job().policy, .course = sizer_.course()};
  std::ranges::copy_if(decisions_, std::back_inserter(record.changes),
                       [](const SizingRecord::Change& made) { return made.to != made.from; });
  return record;
}

}  // namespace sumac::cli
