#include "planner/autoscaling/simulated_job.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/core/check.h"
#include "planner/autoscaling/simulated_world.h"

namespace sumac::autoscaling {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

class Player {
 public:
  Player(const SimulatedJob& job, const Sizer& sizer);

  SimulatedRun play();

 private:
  bool happen();
  void train();
  void decide(const Observation& report);
  void stay(const Decision& decision);
  void pause();
  void spend(double seconds);
  double nextEvent() const;
  int running() const { return world_.running(situation_.workers); }

  const SimulatedJob& job_;
  const Sizer& sizer_;
  SimulatedWorld world_;
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
  if (seconds <= 0) return;
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
  const double begin = situation_.now;
  double end = begin + job_.change_seconds;
  while (nextEvent() <= end) {
    spend(nextEvent() - situation_.now);
    if (happen()) end = situation_.now + job_.change_seconds;
  }
  spend(end - situation_.now);
  run_.changing_seconds += situation_.now - begin;
  situation_.since = situation_.now;
}

/// Whether the job has to stop for what happens next.
bool Player::happen() {
  const SimulatedEvent& event = job_.events[event_++];
  const bool stops = world_.stops(event, situation_.workers);
  world_.happen(event);
  // Who may read quotas knows at once when one changes.
  situation_.room.reset();
  if (world_.room() > 0) situation_.room = Room{world_.room(), kForever};
  return stops;
}

/// Until a report is due, something happens, or the job ends.
void Player::train() {
  const TrueStep step = world_.step(running());
  SUMAC_CHECK(step.seconds > 0 && step.compute_seconds >= 0);
  const double begin = situation_.now;
  double done = 0;
  const auto isDue = [&] {
    return done >= 1 && 2 * (situation_.now - begin) >= job_.report_seconds;
  };
  do {
    const double end = std::min(world_.windowEnd(situation_.now), nextEvent());
    const double each = step.seconds * world_.noiseAt(situation_.now);
    const double fitting = (end - situation_.now) / each;
    const double steps = std::min(fitting, situation_.steps_left);
    spend(steps < fitting ? steps * each : end - situation_.now);
    situation_.steps_left -= steps;
    done += steps;
  } while (situation_.steps_left > 0 && situation_.now < nextEvent() && !isDue());
  if (situation_.steps_left <= 0 || done < 1) return;
  const double seconds = (situation_.now - begin) / done;
  // A share, so that no rounding makes computing longer than the step.
  const double computing = step.compute_seconds / step.seconds;
  decide({running(), done, seconds, computing * seconds, situation_.now});
}

/// Each reason once for a size, and only what says that it is to stay.
void Player::stay(const Decision& decision) {
  if (decision.reason == Reason::kMeasuring || decision.reason == Reason::kStabilizing) return;
  const double since = run_.changes.empty() ? 0 : run_.changes.back().at;
  const auto isSame = [&](const SizeChange& one) {
    return one.at > since && one.decision.reason == decision.reason;
  };
  if (std::ranges::none_of(run_.stays, isSame))
    run_.stays.push_back({situation_.now, situation_.workers, decision});
}

void Player::decide(const Observation& report) {
  observe(situation_.memory, report, job_.stabilization_seconds, world_.straggler(report.workers),
          job_.parts);
  const Decision decision = sizer_(situation_, report);
  remember(situation_.memory, decision);
  if (decision.workers == situation_.workers) return stay(decision);
  run_.changes.push_back({situation_.now, situation_.workers, decision});
  const int before = running();
  situation_.workers = decision.workers;
  if (running() != before) pause();
}

SimulatedRun Player::play() {
  while (situation_.steps_left > 0) {
    if (nextEvent() > situation_.now) {
      train();
    } else if (happen()) {
      pause();
    }
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
    std::vector<double> started;  // when each worker did
    double next = 0;
  };
  return [rule, state = std::make_shared<State>()](const Situation& situation,
                                                   const Observation& report) {
    Decision decision;
    decision.workers = situation.workers;
    auto& [history, started, next] = *state;
    // Those that are new began to train when so many did.
    started.resize(static_cast<std::size_t>(report.workers), situation.since);
    if (situation.now < next) return decision;
    next = situation.now + rule.period_seconds;
    CpuMetrics metrics{.utilization = cpuUtilization(rule, report, situation.parts),
                       .not_ready = situation.workers - report.workers};  // there is no room
    for (const double start : started)
      ++(start + kMetricSeconds <= situation.now ? metrics.measured : metrics.missing);
    decision.workers =
        recommendedByCpu(rule, history, metrics, situation.now,
                         {situation.min_workers, std::min(situation.max_workers, situation.parts)});
    if (metrics.measured == 0) return decision;
    decision.reason = Reason::kUtilization;
    decision.utilization = metrics.utilization;
    return decision;
  };
}

SimulatedRun simulate(const SimulatedJob& job, const Sizer& sizer) {
  SUMAC_CHECK(job.min_workers <= job.first_workers && job.first_workers <= job.max_workers);
  return Player(job, sizer).play();
}

}  // namespace sumac::autoscaling
