#include "planner/autoscaling/simulated_world.h"

#include <algorithm>
#include <cmath>

#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {
namespace {

int within(int room, int wanted) {
  return room > 0 ? std::min(room, wanted) : wanted;
}

}  // namespace

void SimulatedWorld::happen(const SimulatedEvent& event) {
  switch (event.kind) {
    case SimulatedEvent::Kind::kRoom: room_ = event.workers; break;
    case SimulatedEvent::Kind::kSlow: slow_[event.worker] = event.factor; break;
    case SimulatedEvent::Kind::kPace: pace_ = event.factor; break;
    case SimulatedEvent::Kind::kKill: break;
  }
}

bool SimulatedWorld::stops(const SimulatedEvent& event, int wanted) const {
  if (event.kind == SimulatedEvent::Kind::kKill) return event.worker < running(wanted);
  return event.kind == SimulatedEvent::Kind::kRoom &&
         within(event.workers, wanted) != running(wanted);
}

int SimulatedWorld::running(int wanted) const {
  return within(room_, wanted);
}

std::optional<Straggler> SimulatedWorld::straggler(int workers) const {
  constexpr double kSlow = 1.2;
  std::optional<Straggler> slowest;
  for (const auto& [worker, factor] : slow_)
    if (worker < workers && factor >= kSlow && (!slowest || factor > slowest->slowdown))
      slowest = Straggler{worker, factor};
  return slowest;
}

TrueStep SimulatedWorld::step(int workers) const {
  TrueStep step = job_.step(workers);
  double times = 1;
  for (const auto& [worker, factor] : slow_)
    if (worker < workers)
      times = std::max(
          times, factor * partsAt(worker, workers, job_.parts) / busiestParts(job_.parts, workers));
  if (times > 1) {
    step.seconds = job_.late_step ? job_.late_step(workers, times)
                                  : step.seconds + (times - 1) * step.compute_seconds;
    step.compute_seconds *= times;
  }
  step.seconds *= pace_;
  step.compute_seconds *= pace_;
  return step;
}

std::int64_t SimulatedWorld::windowOf(double now) const {
  const auto window = static_cast<std::int64_t>(std::floor(now / job_.report_seconds));
  // What was added up to a window's end may lie a rounding before it in the quotient.
  return static_cast<double>(window + 1) * job_.report_seconds > now ? window : window + 1;
}

double SimulatedWorld::noiseAt(double now) const {
  return job_.noise ? job_.noise(windowOf(now)) : 1;
}

double SimulatedWorld::windowEnd(double now) const {
  return static_cast<double>(windowOf(now) + 1) * job_.report_seconds;
}

}  // namespace sumac::autoscaling
