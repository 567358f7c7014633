#include "planner/autoscaling/clairvoyant.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <utility>

#include "base/core/check.h"
#include "planner/autoscaling/simulated_world.h"

namespace sumac::autoscaling {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNever = -kInfinite;  // steps of a schedule that there is not

/// Dynamic programming over time: of all schedules that have a size at a time only the one with the
/// most steps matters.
///
/// Between two times at which rates change, what a schedule does is linear in when its changes
/// begin. So it is enough to let them begin, or end, at such times. One that an event would stop
/// changes as it happens: after that pause it would end no sooner.
class Schedules {
 public:
  Schedules(const SimulatedJob& job, std::vector<int> sizes);

  double soonestEnd();

 private:
  /// Stands still for a change.
  struct Changing {
    double until = 0;
    std::size_t to = 0;  // of sizes_
    double steps = 0;
  };

  void happen();
  void happen(const SimulatedEvent& event);
  void shareRunning();
  void measureSteps();
  double nextTime() const;
  double train(double until);

  const SimulatedJob& job_;
  const std::vector<int> sizes_;
  SimulatedWorld world_;
  double now_ = 0;
  std::size_t event_ = 0;             // the next one
  std::vector<double> step_seconds_;  // by size, without noise
  std::vector<double> training_;      // steps done, by size
  std::deque<Changing> changing_;     // in order of `until`
  double most_ = 0;                   // steps of all that may begin a change now
};

Schedules::Schedules(const SimulatedJob& job, std::vector<int> sizes)
    : job_(job),
      sizes_(std::move(sizes)),
      world_(job),
      step_seconds_(sizes_.size()),
      training_(sizes_.size(), 0.0) {
  measureSteps();
}

void Schedules::measureSteps() {
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    step_seconds_[i] = world_.step(world_.running(sizes_[i])).seconds;
}

/// Of one number of workers that there is room for, all that want it or more have it.
void Schedules::shareRunning() {
  if (world_.room() == 0) return;
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    for (std::size_t k = 0; k < sizes_.size(); ++k)
      if (world_.running(sizes_[i]) == world_.running(sizes_[k]))
        training_[i] = std::max(training_[i], training_[k]);
}

/// Those that it stops may come to have any size.
void Schedules::happen(const SimulatedEvent& event) {
  const auto isStopped = [&](std::size_t size) { return world_.stops(event, sizes_[size]); };
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    if (isStopped(i)) training_[i] = kNever;
  std::erase_if(changing_, [&](const Changing& one) {
    if (isStopped(one.to)) most_ = std::max(most_, one.steps);
    return isStopped(one.to);
  });
  world_.happen(event);
  measureSteps();
}

void Schedules::happen() {
  shareRunning();
  most_ = *std::ranges::max_element(training_);
  for (; event_ < job_.events.size() && job_.events[event_].at <= now_; ++event_)
    happen(job_.events[event_]);
  shareRunning();
  if (most_ == kNever) return;
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    changing_.push_back({now_ + job_.change_seconds, i, most_});
}

/// When rates change, or a change would end as they do.
double Schedules::nextTime() const {
  double next = kInfinite;
  const auto consider = [&](double time) {
    if (time > now_) next = std::min(next, time);
  };
  for (std::size_t i = event_; i < job_.events.size() && job_.events[i].at < next; ++i)
    consider(job_.events[i].at);
  for (std::size_t i = event_; i < job_.events.size(); ++i) {
    const double begin = job_.events[i].at - job_.change_seconds;
    consider(begin);
    if (begin > now_) break;
  }
  if (job_.noise) {
    consider(world_.windowEnd(now_));
    consider(world_.windowEnd(now_ + job_.change_seconds) - job_.change_seconds);
  }
  return next;
}

/// Returns when the first schedule would end at the present rates.
double Schedules::train(double until) {
  const double noise = world_.noiseAt(until < kInfinite ? (now_ + until) / 2 : now_);
  double soonest = kInfinite;
  const auto go = [&](std::size_t size, double begin, double steps) {
    const double each = noise * step_seconds_[size];
    soonest = std::min(soonest, begin + (job_.steps - steps) * each);
    return steps + (until - begin) / each;
  };
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    if (training_[i] > kNever) training_[i] = go(i, now_, training_[i]);
  for (; !changing_.empty() && changing_.front().until <= until; changing_.pop_front()) {
    const auto& [begin, to, steps] = changing_.front();
    training_[to] = std::max(training_[to], go(to, begin, steps));
  }
  return soonest;
}

double Schedules::soonestEnd() {
  while (true) {
    happen();
    const double next = nextTime();
    const double soonest = train(next);
    if (soonest <= next) return soonest;
    now_ = next;
  }
}

}  // namespace

double clairvoyantSeconds(const SimulatedJob& job, std::vector<int> sizes) {
  SUMAC_CHECK(!sizes.empty());
  return Schedules(job, std::move(sizes)).soonestEnd();
}

}  // namespace sumac::autoscaling
