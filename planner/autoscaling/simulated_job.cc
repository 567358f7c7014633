#include "planner/autoscaling/simulated_job.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "base/core/check.h"
#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// What events have made of the machines.
class World {
 public:
  explicit World(const SimulatedJob& job) : job_(job) {}

  void happen(const SimulatedEvent& event) {
    switch (event.kind) {
      case SimulatedEvent::Kind::kRoom: room_ = event.workers; break;
      case SimulatedEvent::Kind::kSlow: slow_[event.worker] = event.factor; break;
      case SimulatedEvent::Kind::kPace: pace_ = event.factor; break;
      case SimulatedEvent::Kind::kKill: break;
    }
  }

  int room() const { return room_; }
  int running(int wanted) const { return room_ > 0 ? std::min(room_, wanted) : wanted; }

  /// As a coordinator tells it.
  std::optional<Straggler> straggler(int workers) const {
    constexpr double kSlow = 1.2;
    std::optional<Straggler> slowest;
    for (const auto& [worker, factor] : slow_)
      if (worker < workers && factor >= kSlow && (!slowest || factor > slowest->slowdown))
        slowest = Straggler{worker, factor};
    return slowest;
  }

  TrueStep step(int workers) const {
    TrueStep step = job_.step(workers);
    const double rest = step.seconds - step.compute_seconds;
    const double part = step.compute_seconds / busiestParts(job_.parts, workers);
    for (const auto& [worker, factor] : slow_)
      if (worker < workers)
        step.compute_seconds =
            std::max(step.compute_seconds, factor * part * partsAt(worker, workers, job_.parts));
    step.compute_seconds *= pace_;
    step.seconds = step.compute_seconds + pace_ * rest;
    return step;
  }

 private:
  const SimulatedJob& job_;
  int room_ = 0;
  double pace_ = 1;
  std::map<int, double> slow_;
};

class Player {
 public:
  Player(const SimulatedJob& job, const Sizer& sizer);

  SimulatedRun play();

 private:
  void happen();
  void train();
  void decide(const Observation& report);
  void pause();
  void spend(double seconds);
  double nextEvent() const;
  int running() const { return world_.running(situation_.workers); }

  const SimulatedJob& job_;
  const Sizer& sizer_;
  World world_;
  Situation situation_;
  std::size_t event_ = 0;
  SimulatedRun run_;
};

Player::Player(const SimulatedJob& job, const Sizer& sizer)
    : job_(job), sizer_(sizer), world_(job) {
  situation_.min_workers = job.min_workers;
  situation_.max_workers = job.max_workers;
  situation_.parts = job.parts;
  situation_.servers = job.servers;
  situation_.steps_left = job.steps;
  situation_.workers = job.first_workers;
  situation_.change_seconds = job.change_seconds;
  situation_.expected = job.expected;
}

double Player::nextEvent() const {
  return event_ < job_.events.size() ? job_.events[event_].at : kForever;
}

void Player::spend(double seconds) {
  if (run_.phases.empty() || run_.phases.back().workers != running())
    run_.phases.push_back({run_.seconds, running(), run_.worker_seconds, run_.cost});
  const double worker_seconds = seconds * running();
  const double server_seconds = seconds * job_.servers;
  run_.worker_seconds += worker_seconds;
  run_.server_seconds += server_seconds;
  run_.cost += job_.prices.of(worker_seconds, server_seconds);
  run_.seconds += seconds;
  situation_.now = run_.seconds;
  situation_.spent = run_.cost;
}

/// All stand still while members change.
void Player::pause() {
  run_.changing_seconds += job_.change_seconds;
  spend(job_.change_seconds);
  situation_.since = situation_.now;
}

void Player::happen() {
  for (; nextEvent() <= situation_.now; ++event_) {
    const SimulatedEvent& event = job_.events[event_];
    const int before = running();
    world_.happen(event);
    const bool is_lost = event.kind == SimulatedEvent::Kind::kKill && event.worker < before;
    if (is_lost || running() != before) pause();
  }
  // Who may read quotas knows at once when one changes.
  situation_.room.reset();
  if (world_.room() > 0) situation_.room = Room{world_.room(), kForever};
}

void Player::train() {
  const TrueStep step = world_.step(running());
  SUMAC_CHECK(step.seconds > 0 && step.compute_seconds >= 0);
  const double seconds = std::min(job_.report_seconds, nextEvent() - situation_.now);
  const double steps = std::clamp(std::floor(seconds / step.seconds), 1.0,
                                  std::max(1.0, std::ceil(situation_.steps_left)));
  const double noise = job_.noise ? job_.noise() : 1;
  situation_.steps_left -= steps;
  spend(steps * step.seconds * noise);
  decide({running(), steps, step.seconds * noise, step.compute_seconds * noise, situation_.now});
}

void Player::decide(const Observation& report) {
  if (situation_.steps_left <= 0) return;
  observe(situation_.memory, report, job_.stabilization_seconds, world_.straggler(report.workers),
          job_.parts);
  const Decision decision = sizer_(situation_, report);
  remember(situation_.memory, decision);
  if (decision.workers == situation_.workers) return;
  run_.changes.push_back({situation_.now, situation_.workers, decision.workers, decision.reason});
  const int before = running();
  situation_.workers = decision.workers;
  if (running() != before) pause();
}

SimulatedRun Player::play() {
  while (situation_.steps_left > 0) {
    happen();
    train();
  }
  return run_;
}

}  // namespace

Sizer fixedSize(int workers) {
  return [workers](const Situation&, const Observation&) {
    Decision decision;
    decision.workers = workers;
    return decision;
  };
}

Sizer byPolicy(const Policy& policy) {
  return [policy](const Situation& situation, const Observation&) {
    return decide(policy, situation);
  };
}

Sizer byCpu(const CpuRule& rule) {
  struct State {
    CpuHistory history;
    double next = 0;
  };
  return [rule, state = std::make_shared<State>()](const Situation& situation,
                                                   const Observation& report) {
    Decision decision;
    decision.workers = situation.workers;
    if (situation.now < state->next) return decision;
    state->next = situation.now + rule.period_seconds;
    decision.workers =
        recommendedByCpu(rule, state->history, report, situation.parts,
                         {situation.min_workers, std::min(situation.max_workers, situation.parts)});
    return decision;
  };
}

SimulatedRun simulate(const SimulatedJob& job, const Sizer& sizer) {
  SUMAC_CHECK(job.min_workers <= job.first_workers && job.first_workers <= job.max_workers);
  return Player(job, sizer).play();
}

double clairvoyantSeconds(const SimulatedJob& job) {
  const std::vector<int> sizes = usefulSizes(job.parts, job.min_workers, job.max_workers);
  World world(job);
  std::map<int, double> done = {{job.first_workers, 0.0}};  // by size, the most steps until `now`
  double now = 0;
  double soonest = kForever;
  std::size_t event = 0;
  while (true) {
    for (; event < job.events.size() && job.events[event].at <= now; ++event)
      world.happen(job.events[event]);
    const double end = event < job.events.size() ? job.events[event].at : kForever;
    std::map<int, double> next;
    for (const int size : sizes) {
      if (world.running(size) != size && size != sizes.front()) continue;
      const double step = world.step(size).seconds;
      for (const auto& [before, steps] : done) {
        // Nobody has to begin with the first size.
        const bool is_change = before != size && now > 0;
        const double begin = now + (is_change ? job.change_seconds : 0);
        soonest = std::min(soonest, begin + (job.steps - steps) * step);
        double& most = next[size];
        most = std::max(most, steps + std::max(0.0, end - begin) / step);
      }
    }
    if (soonest <= end) return soonest;
    done = std::move(next);
    now = end;
    soonest = kForever;
  }
}

}  // namespace sumac::autoscaling
