#include "operator/trainingjob/policy/autoscaling.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "job/document/job.h"
#include "operator/trainingjob/policy/autoscaling_room.h"
#include "operator/trainingjob/policy/autoscaling_status.h"
#include "operator/trainingjob/policy/job_size.h"
#include "planner/autoscaling/policy_of.h"
#include "planner/report/autoscaling_words.h"

namespace sumac::trainingjob {
namespace {

using autoscaling::JobSizer;
using autoscaling::SizedJob;

constexpr std::int64_t kMostSeconds = 1'000'000'000'000;

/// How often a job is looked at: slot 0 is asked every 2 s.
std::chrono::seconds lookInterval(const Draft& draft) {
  constexpr std::int64_t kLooks = 6;
  constexpr std::int64_t kShortest = 2;
  constexpr std::int64_t kLongest = 10;
  const std::int64_t stabilization = draft.job.autoscaling->stabilization_seconds;
  return std::chrono::seconds(std::clamp(stabilization / kLooks, kShortest, kLongest));
}

/// What the job's sizes are chosen by: as its record has it, with the policy that the spec has now.
SizedJob sizedJob(const Draft& draft) {
  const JobRecord& record = *draft.observed.record;
  const job::Reading reading = job::readJob(record.document, "", {}, /*needs_to_run=*/false);
  SizedJob sized = reading.job ? autoscaling::sizedJobOf(*reading.job) : SizedJob{};
  sized.policy = autoscaling::policyOf(*draft.job.autoscaling);
  sized.parts = std::max(1, record.logical_workers);
  sized.servers = record.servers;
  sized.min_workers = std::clamp(*draft.job.min_replicas, 1, sized.parts);
  sized.max_workers = std::clamp(*draft.job.max_replicas, sized.min_workers, sized.parts);
  sized.change_seconds = record.changes_members ? autoscaling::kChangeInPlaceSeconds
                                                : autoscaling::kChangeByRestartSeconds;
  return sized;
}

/// What this operator has seen; or what the status says, if it was written by another one.
Sizing sizingOf(const Draft& draft, WallTime origin) {
  const api::AutoscalingStatus& status = *draft.next.autoscaling;
  const Sizing* const seen = draft.observed.sizing.get();
  if (seen == nullptr || seen->change != status.last_change) {
    Sizing fresh;
    fresh.job = sizedJob(draft);
    fresh.course = courseOf(status, origin, draft.now);
    fresh.change = status.last_change;
    return fresh;
  }
  Sizing sizing = *seen;
  const auto policy = autoscaling::policyOf(*draft.job.autoscaling);
  if (sizing.job.policy == policy) return sizing;
  sizing.job.policy = policy;
  reopen(sizing.course.memory);
  return sizing;
}

/// For how long the change that has come about stopped training.
std::optional<double> pauseOf(const Draft& draft, const Sizing& sizing) {
  if (canChangeMembers(draft))
    return sizing.paused > 0 ? std::optional(sizing.paused) : std::nullopt;
  const double pause = sizing.change ? secondsSince(*sizing.change, draft.now) : -1;
  return pause >= 0 && pause <= kLongestChange ? std::optional(pause) : std::nullopt;
}

/// Notes who trains, if that has changed since the last report.
void followMembers(const Draft& draft, Sizing& sizing) {
  const MembershipReport& members = *draft.observed.membership;
  const auto& before = sizing.before;
  const bool goes_on =
      before && before->attempt == draft.before.attempt && before->term == members.term;
  if (goes_on && before->generation == members.generation) return;
  if (goes_on && members.last) sizing.paused += members.last->pause_seconds;
  autoscaling::SizingCourse& course = sizing.course;
  JobSizer sizer(sizing.job, course);
  const bool has_come_about = course.is_changing && members.workers == course.wanted;
  const auto pause = has_come_about ? pauseOf(draft, sizing) : std::nullopt;
  if (pause) sizer.paused(*pause);
  const bool is_other = members.workers != course.workers || has_come_about;
  if (is_other) sizer.trains(members.workers, course.now);
  course = sizer.course();
  sizing.before.reset();
}

/// Takes the steps since the last report into account, once they are enough.
void followSteps(const Draft& draft, Sizing& sizing) {
  const Progress& progress = *draft.observed.progress;
  const MembershipReport& members = *draft.observed.membership;
  autoscaling::SizingCourse& course = sizing.course;
  course.steps_left = static_cast<double>(std::max<Step>(0, progress.total_steps - progress.step));
  const auto& before = sizing.before;
  if (before && progress.step == before->progress.step) return;
  if (before) {
    const auto steps =
        autoscaling::stepsBetween(before->progress, progress, members.workers, sizing.job.parts);
    const double inside = steps ? steps->steps * steps->step_seconds : 0;
    if (steps && inside < autoscaling::kReportShare * sizing.job.policy.stabilization_seconds)
      return;
    if (steps) {
      course.between_seconds += secondsSince(before->at, draft.now) - inside;
      JobSizer sizer(sizing.job, course);
      sizer.done(*steps, course.steps_left, course.now);
      course = sizer.course();
    }
  }
  sizing.before =
      Sizing::Report{draft.before.attempt, members.term, members.generation, progress, draft.now};
}

std::optional<autoscaling::Room> roomOf(Draft& draft, WallTime origin) {
  const auto room = followRoom(draft);
  if (!room) return std::nullopt;
  return autoscaling::Room{room->workers, secondsSince(origin, room->until)};
}

/// Whether there is something to decide by.
bool isTraining(const Draft& draft) {
  const auto& members = draft.observed.membership;
  const auto& progress = draft.observed.progress;
  // Members of an earlier version do not tell how many they are.
  return draft.before.isTrue("Running") && members && members->term > 0 && members->workers > 0 &&
         progress && progress->total_steps > 0;
}

void addTime(std::int64_t& sum, std::int64_t passed, int pods) {
  sum = std::min(std::clamp<std::int64_t>(sum, 0, kMostSeconds) + passed * pods, kMostSeconds);
}

}  // namespace

void followAutoscaling(Draft& draft) {
  auto& next = draft.next.autoscaling;
  if (!isAutoscaled(draft.job)) {
    next.reset();
    return;
  }
  const bool has_run = draft.before.start_time && draft.before.worker.desired > 0;
  if (!next) {
    next.emplace();
    next->workers_wanted = has_run ? draft.before.worker.desired : *draft.job.min_replicas;
    next->reason = planner::reasonName(autoscaling::Reason::kMeasuring);
  }
  // A time in the future was written with a wrong clock.
  if (!next->first_start || *next->first_start > draft.now)
    next->first_start = draft.before.start_time;
  if (next->first_start) next->first_start = std::min(*next->first_start, draft.now);
  const int most = std::max(*draft.job.min_replicas, *draft.job.max_replicas);
  next->workers_wanted = std::clamp(next->workers_wanted, *draft.job.min_replicas, most);
}

void keepAccounts(Draft& draft) {
  auto& next = draft.next.autoscaling;
  if (!next) return;
  const WallTime least = next->first_start.value_or(draft.now);
  const WallTime from = std::clamp(next->accounted.value_or(draft.now), least, draft.now);
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(draft.now - from).count();
  constexpr std::int64_t kLongest = 100'000'000;  // 3 years
  const std::int64_t added = std::min<std::int64_t>(passed, kLongest);
  addTime(next->worker_seconds, added, placedPods(draft, Role::kWorker));
  addTime(next->server_seconds, added, placedPods(draft, Role::kServer));
  next->accounted = draft.now;
}

void autoscale(Draft& draft) {
  auto& next = draft.next.autoscaling;
  if (!next || !draft.observed.record || !isTraining(draft)) return;
  draft.againAfter(lookInterval(draft));
  const WallTime origin = next->first_start.value_or(draft.now);
  Sizing sizing = sizingOf(draft, origin);
  autoscaling::SizingCourse& course = sizing.course;
  course.now = std::max(course.now, secondsSince(origin, draft.now));
  course.worker_seconds = static_cast<double>(next->worker_seconds);
  course.server_seconds = static_cast<double>(next->server_seconds);
  followMembers(draft, sizing);
  followSteps(draft, sizing);
  JobSizer sizer(sizing.job, course);
  sizer.setRoom(roomOf(draft, origin));
  const autoscaling::Decision decision = sizer.decide(course.now);
  const int before = course.wanted;
  const bool is_other = decision.workers != before;
  if (is_other && draft.view.wouldLoseAllTrainers(decision.workers)) {
    draft.held_workers = decision.workers;  // it is decided anew once another worker trains
    return;
  }
  course = sizer.course();
  keepCourse(*next, course, origin);
  next->reason = planner::reasonName(decision.reason);
  next->message = messageOf({sizing.job.policy, before, decision});
  if (is_other) {
    next->last_change = sizing.change = draft.now;
    sizing.paused = 0;
  }
  draft.sizing = std::make_shared<const Sizing>(std::move(sizing));
}

std::string choiceOf(const Draft& draft) {
  const auto& next = draft.next.autoscaling;
  if (!next) return "";
  return next->reason + (next->message.empty() ? "" : ": " + next->message);
}

bool isCourseDue(Draft& draft) {
  const auto& before = draft.before.autoscaling;
  auto next = draft.next.autoscaling;
  if (!before || !next) return false;  // that the section came or went is written at once
  next->accounted = before->accounted;
  if (*next == *before) return false;
  const auto& written = before->accounted;
  // A time in the future was written with a wrong clock: do not wait for it.
  if (!written || *written > draft.now || draft.now - *written >= kBetweenCourses) return true;
  draft.againAt(*written + kBetweenCourses);
  return false;
}

}  // namespace sumac::trainingjob
