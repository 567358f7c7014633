#include "planner/autoscaling/memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {
namespace {

// A mean is formed over so many times that for which a size is observed before another is chosen.
constexpr double kDepth = 10;
constexpr int kReportsOfJump = 3;

double secondsOf(const Observation& one) {
  return one.steps * one.step_seconds;
}

/// Takes a report into a mean over `depth_seconds`.
void merge(Observation& mean, const Observation& report, double depth_seconds) {
  const double before = std::min(mean.steps, depth_seconds / mean.step_seconds);
  const double share = report.steps / (before + report.steps);
  mean.step_seconds += share * (report.step_seconds - mean.step_seconds);
  mean.compute_seconds += share * (report.compute_seconds - mean.compute_seconds);
  mean.steps = before + report.steps;
  mean.at = report.at;
}

bool differs(double value, double reference) {
  return value > (1 + kJump) * reference || value * (1 + kJump) < reference;
}

double restOf(const Observation& one) {
  return one.step_seconds - one.compute_seconds;
}

/// How a part of a step has changed. Where it was a good part of the step, by a ratio; of what was
/// hardly there a ratio says nothing: it is longer by so many seconds then.
struct Change {
  double ratio = 1;
  double seconds = 0;

  Change(double before, double after, double step_seconds) {
    constexpr double kGoodPart = 0.1;
    if (before >= kGoodPart * step_seconds) {
      ratio = after / before;
    } else {
      seconds = after - before;
    }
  }
  double of(double part) const { return std::max(0.0, ratio * part + seconds); }
};

/// What was observed of other sizes, as it would be now that `before` has become `after`. Those
/// observed later than `before` have met what has changed, and a size that was hardly observed says
/// nothing of others.
void scaleOthers(Memory& memory, const Observation& before, const Observation& after) {
  const Change computing(before.compute_seconds, after.compute_seconds, before.step_seconds);
  const Change rest(restOf(before), restOf(after), before.step_seconds);
  for (Observation& other : memory.observations) {
    if (other.workers == after.workers || other.at > before.at) continue;
    const double rest_seconds = rest.of(restOf(other));
    other.compute_seconds = computing.of(other.compute_seconds);
    other.step_seconds = other.compute_seconds + rest_seconds;
  }
}

Observation& added(Memory& memory, const Observation& report) {
  auto& all = memory.observations;
  if (all.size() >= kMostObservations)
    all.erase(std::ranges::min_element(all, {}, &Observation::at));
  return all.emplace_back(report);
}

/// Whether the mean is another one from now on.
bool isJump(Memory& memory, const Observation& mean, const Observation& report,
            double stabilization_seconds) {
  Observation& odd = memory.odd;
  const bool is_odd = differs(report.step_seconds, mean.step_seconds);
  const bool goes_on =
      is_odd && memory.odd_reports > 0 && odd.workers == report.workers &&
      (odd.step_seconds > mean.step_seconds) == (report.step_seconds > mean.step_seconds);
  if (!goes_on) {
    odd = is_odd ? report : Observation{};
    memory.odd_reports = is_odd ? 1 : 0;
    return false;
  }
  merge(odd, report, kDepth * stabilization_seconds);
  ++memory.odd_reports;
  return memory.odd_reports >= kReportsOfJump && secondsOf(odd) >= stabilization_seconds;
}

bool isSame(const std::optional<Straggler>& one, const std::optional<Straggler>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return one->worker == other->worker && !differs(one->slowdown, other->slowdown);
}

/// Believes in another straggler, or in none, once reports have told so for long enough.
void noteStraggler(Memory& memory, const Observation& report, double stabilization_seconds,
                   const std::optional<Straggler>& told) {
  // Who trains without it says nothing of it.
  const bool is_without = memory.straggler && !told && report.workers <= memory.straggler->worker;
  if (is_without || isSame(memory.straggler, told)) {
    memory.is_straggler_odd = false;
    return;
  }
  if (!std::exchange(memory.is_straggler_odd, true))
    memory.odd_since = report.at - secondsOf(report);
  if (report.at - memory.odd_since < stabilization_seconds) return;
  memory.straggler = told;
  memory.is_straggler_odd = false;
  reopen(memory);
}

}  // namespace

double slowdownOf(const std::optional<Straggler>& straggler, int workers, int parts) {
  if (!straggler || !(straggler->slowdown > 1) || straggler->worker < 0 ||
      straggler->worker >= workers || workers > parts)
    return 1;
  const double slow = straggler->slowdown * partsAt(straggler->worker, workers, parts);
  return std::max(1.0, slow / busiestParts(parts, workers));
}

bool isPossible(const Observation& one) {
  const auto isPositive = [](double value) { return std::isfinite(value) && value > 0; };
  return one.workers >= 1 && isPositive(one.steps) && isPositive(one.step_seconds) &&
         std::isfinite(one.at) && one.compute_seconds >= 0 &&
         one.compute_seconds <= one.step_seconds;
}

bool isTelling(const Observation& mean, double stabilization_seconds) {
  constexpr double kSteps = 30;
  return mean.steps >= kSteps || secondsOf(mean) >= stabilization_seconds;
}

const Observation* Memory::find(int workers) const {
  const auto found = std::ranges::find(observations, workers, &Observation::workers);
  return found == observations.end() ? nullptr : &*found;
}

void observe(Memory& memory, const Observation& report, double stabilization_seconds) {
  std::erase_if(memory.observations, [](const Observation& one) { return !isPossible(one); });
  if (!isPossible(report)) return;
  const auto found = std::ranges::find(memory.observations, report.workers, &Observation::workers);
  if (found == memory.observations.end()) {
    added(memory, report);
    return;
  }
  const Observation before = *found;
  if (isJump(memory, before, report, stabilization_seconds)) {
    *found = memory.odd;
    if (secondsOf(before) >= kReportsOfJump * secondsOf(report))
      scaleOthers(memory, before, *found);
    reopen(memory);
    memory.odd = {};
    memory.odd_reports = 0;
  } else if (memory.odd_reports == 0) {
    merge(*found, report, kDepth * stabilization_seconds);
    if (memory.settled_step_seconds > 0 &&
        differs(found->step_seconds, memory.settled_step_seconds))
      reopen(memory);
  }
}

void observe(Memory& memory, const Observation& report, double stabilization_seconds,
             const std::optional<Straggler>& straggler, int parts) {
  Observation equal = report;
  equal.compute_seconds /= slowdownOf(straggler, report.workers, parts);
  equal.step_seconds -= report.compute_seconds - equal.compute_seconds;
  if (isPossible(equal)) noteStraggler(memory, report, stabilization_seconds, straggler);
  observe(memory, equal, stabilization_seconds);
}

void reopen(Memory& memory) {
  memory.settled_step_seconds = 0;
  memory.changes = 0;
}

}  // namespace sumac::autoscaling
