#include "operator/trainingjob/policy/autoscaling_status.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/core/units.h"

namespace sumac::trainingjob {
namespace {

constexpr int kMostCounted = 1'000'000;
constexpr double kMostSteps = 1e15;

/// A time of the job as the world's. Those beyond any job are taken for its begin.
WallTime timeOf(double passed, WallTime origin) {
  constexpr double kLongest = 1e9;  // 30 years
  if (!(passed >= 0 && passed <= kLongest)) return origin;
  return origin + std::chrono::seconds(std::llround(passed));
}

autoscaling::Observation observationOf(const api::SizeObservation& kept, WallTime origin) {
  return {.workers = kept.workers,
          .steps = static_cast<double>(kept.steps),
          .step_seconds = kept.step_seconds,
          .compute_seconds = kept.compute_seconds,
          .at = secondsSince(origin, kept.time)};
}

}  // namespace

double secondsSince(WallTime origin, WallTime time) {
  return std::chrono::duration<double>(time - origin).count();
}

autoscaling::SizingCourse courseOf(const api::AutoscalingStatus& status, WallTime origin,
                                   WallTime now) {
  autoscaling::SizingCourse course;
  course.now = std::max(0.0, secondsSince(origin, now));
  course.wanted = course.workers = std::max(1, status.workers_wanted);
  course.since = course.now;
  const bool is_pause = status.pause_seconds > 0 && status.pause_seconds <= kLongestChange;
  course.pauses = is_pause ? std::clamp(status.pauses, 0, kMostCounted) : 0;
  course.pause_seconds = course.pauses * (is_pause ? status.pause_seconds : 0);
  for (const api::SizeObservation& one : status.observations) {
    const auto observation = observationOf(one, origin);
    const bool is_new = course.memory.find(observation.workers) == nullptr;
    if (isPossible(observation) && is_new &&
        course.memory.observations.size() < autoscaling::kMostObservations)
      course.memory.observations.push_back(observation);
  }
  course.memory.settled_step_seconds = status.settled_step_seconds;
  course.memory.most = status.most;
  course.memory.changes = std::clamp(status.changes, 0, kMostCounted);
  return course;
}

void keepCourse(api::AutoscalingStatus& status, const autoscaling::SizingCourse& course,
                WallTime origin) {
  status.workers_wanted = course.wanted;
  status.pauses = course.pauses;
  status.pause_seconds = course.pauses > 0 ? course.pause_seconds / course.pauses : 0;
  status.observations.clear();
  for (const autoscaling::Observation& one : course.memory.observations)
    status.observations.push_back({.workers = one.workers,
                                   .steps = std::llround(std::clamp(one.steps, 1.0, kMostSteps)),
                                   .step_seconds = one.step_seconds,
                                   .compute_seconds = one.compute_seconds,
                                   .time = timeOf(one.at, origin)});
  status.settled_step_seconds = course.memory.settled_step_seconds;
  status.most = course.memory.most;
  status.changes = course.memory.changes;
}

std::string messageOf(const planner::SizeDecision& made) {
  const autoscaling::SizeTime& step = made.decision.step;
  std::string text = planner::reasonText(made);
  if (step.seconds > 0)
    text +=
        "; a step takes " + durationText(step.seconds) + (step.is_observed ? "" : " (predicted)");
  return text;
}

}  // namespace sumac::trainingjob
