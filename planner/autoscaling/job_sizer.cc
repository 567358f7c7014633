#include "planner/autoscaling/job_sizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exchange/plan/job_plan.h"
#include "job/progress/step_phases.h"
#include "planner/autoscaling/expected_steps.h"
#include "planner/autoscaling/policy_of.h"
#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling {
namespace {

bool isAmount(double value) {
  return std::isfinite(value) && value >= 0;
}

/// Where no model says how long an exchange takes: a moment, so that larger sizes are tried, and
/// the same for all sizes.
std::vector<ExpectedStep> shortExchanges(const SizedJob& job) {
  constexpr double kShort = 1e-3;
  std::vector<ExpectedStep> steps;
  for (const int size : usefulSizes(job.parts, job.min_workers, job.max_workers))
    steps.push_back({size, static_cast<double>(busiestParts(job.parts, size)),
                     size > 1 || job.servers > 0 ? kShort : 0});
  return steps;
}

std::vector<ExpectedStep> expectedOf(const job::TrainingJob& job, const SizedJob& sized) {
  if (job.strategy.consistency != job::Consistency::kSynchronous) return shortExchanges(sized);
  const auto plan = makeJobPlan(job, job.model.vocabulary);
  if (!plan) return shortExchanges(sized);
  return expectedSteps(job, plan->exchange, sized.min_workers, sized.max_workers);
}

struct Shares {
  int workers;
  int parts;

  int busiest() const { return busiestParts(parts, workers); }
  // Where indices have gaps, a position of the same kind.
  int of(int worker) const { return partsAt(std::min(worker, workers - 1), workers, parts); }
};

/// What the busiest or slowest worker computed in a step, where `part` is what worker 0 computes
/// one of its parts in.
void takeComputing(StepsDone& done, double part, const Shares& shares,
                   const std::optional<Straggler>& straggler) {
  constexpr double kMatters = 0.1;
  const bool is_own = straggler && straggler->worker == 0;
  const double usual = is_own ? part / straggler->slowdown : part;
  const double busiest = usual * shares.busiest();
  const double slowest =
      straggler ? usual * straggler->slowdown * shares.of(straggler->worker) : busiest;
  done.compute_seconds = std::min(done.step_seconds, std::max(busiest, slowest));
  if (done.compute_seconds - busiest >= kMatters * done.step_seconds) done.straggler = straggler;
}

}  // namespace

SizedJob sizedJobOf(const job::TrainingJob& job) {
  SizedJob sized;
  if (job.autoscaling) sized.policy = policyOf(*job.autoscaling);
  sized.parts = std::max(1, job.training.logical_workers);
  sized.min_workers = std::clamp(job.worker.min_replicas.value_or(1), 1, sized.parts);
  sized.max_workers = std::clamp(job.worker.max_replicas.value_or(sized.min_workers),
                                 sized.min_workers, sized.parts);
  sized.servers = job.server.replicas;
  sized.change_seconds = job.canChangeMembers() ? kChangeInPlaceSeconds : kChangeByRestartSeconds;
  sized.expected = expectedOf(job, sized);
  return sized;
}

std::optional<StepsDone> stepsBetween(const Progress& before, const Progress& after, int workers,
                                      int parts) {
  const auto phases = phasesOf(before, after);
  if (!phases || workers < 1 || parts < workers) return std::nullopt;
  const double seconds = phases->sum();
  if (!std::isfinite(seconds) || seconds <= 0) return std::nullopt;
  StepsDone done{.steps = static_cast<double>(after.step - before.step), .step_seconds = seconds};
  takeComputing(done, phases->gradient_seconds / partsAt(0, workers, parts), {workers, parts},
                after.straggler);
  return done;
}

JobSizer::JobSizer(SizedJob job, int workers) : job_(std::move(job)) {
  course_.wanted = course_.workers = std::max(1, workers);
}

JobSizer::JobSizer(SizedJob job, SizingCourse course)
    : job_(std::move(job)), course_(std::move(course)) {}

void JobSizer::advance(double now) {
  if (!std::isfinite(now) || now <= course_.now) return;
  const double seconds = now - course_.now;
  course_.worker_seconds += seconds * course_.workers;
  course_.server_seconds += seconds * job_.servers;
  course_.now = now;
}

void JobSizer::trains(int workers, double now) {
  advance(now);
  course_.workers = std::max(1, workers);
  course_.since = course_.now;
  if (course_.workers == course_.wanted) course_.is_changing = false;
  before_.reset();
  unobserved_ = {};
}

void JobSizer::paused(double seconds) {
  if (!isAmount(seconds)) return;
  ++course_.pauses;
  course_.pause_seconds += seconds;
}

void JobSizer::progressed(const Progress& progress, double now) {
  advance(now);
  const auto before = std::exchange(before_, progress);
  const double passed = course_.now - std::exchange(before_at_, course_.now);
  if (progress.total_steps > 0)
    course_.steps_left =
        static_cast<double>(std::max<Step>(0, progress.total_steps - progress.step));
  const auto steps =
      before ? stepsBetween(*before, progress, course_.workers, job_.parts) : std::nullopt;
  if (!steps) return;
  course_.between_seconds += passed - steps->steps * steps->step_seconds;
  done(*steps, course_.steps_left, course_.now);
}

void JobSizer::done(const StepsDone& steps, double steps_left, double now) {
  advance(now);
  if (isAmount(steps_left)) course_.steps_left = steps_left;
  const double seconds = steps.steps * steps.step_seconds;
  if (!isAmount(steps.steps) || steps.steps == 0 || !isAmount(seconds) ||
      !isAmount(steps.compute_seconds))
    return;
  course_.steps += steps.steps;
  course_.inside_seconds += seconds;
  StepsDone& all = unobserved_;
  const double share = steps.steps / (all.steps + steps.steps);
  all.step_seconds += share * (steps.step_seconds - all.step_seconds);
  all.compute_seconds += share * (steps.compute_seconds - all.compute_seconds);
  all.steps += steps.steps;
  all.straggler = steps.straggler;
  if (all.steps * all.step_seconds >= kReportShare * job_.policy.stabilization_seconds) observe();
}

void JobSizer::observe() {
  const StepsDone all = std::exchange(unobserved_, {});
  autoscaling::observe(
      course_.memory,
      {course_.workers, all.steps, all.step_seconds, all.compute_seconds, course_.now},
      job_.policy.stabilization_seconds, all.straggler, job_.parts);
}

double JobSizer::cost() const {
  return job_.policy.prices.of(course_.worker_seconds, course_.server_seconds);
}

double JobSizer::changeSeconds() const {
  return course_.pauses > 0 ? course_.pause_seconds / course_.pauses : job_.change_seconds;
}

/// The job's, less what will pass between the steps that are left: no number of workers changes it.
Policy JobSizer::policy() const {
  Policy policy = job_.policy;
  if (course_.steps <= 0) return policy;
  const double between =
      std::max(0.0, course_.between_seconds) / course_.steps * course_.steps_left;
  policy.deadline_seconds -= between;
  policy.budget -= between * policy.prices.of(course_.workers, job_.servers);
  return policy;
}

Situation JobSizer::situation() const {
  return {.min_workers = job_.min_workers,
          .max_workers = job_.max_workers,
          .parts = job_.parts,
          .servers = job_.servers,
          .now = course_.now,
          .steps_left = course_.steps_left,
          .workers = course_.wanted,
          // Nothing is known yet of a number that has not come about.
          .since = course_.is_changing ? course_.now : course_.since,
          .change_seconds = changeSeconds(),
          .room = room_,
          .spent = cost(),
          .expected = job_.expected,
          .memory = course_.memory};
}

Decision JobSizer::decide(double now) {
  advance(now);
  const Decision decision = autoscaling::decide(policy(), situation());
  remember(course_.memory, decision);
  if (decision.workers == course_.wanted) return decision;
  course_.wanted = decision.workers;
  course_.is_changing = decision.workers != course_.workers;
  ++course_.changes;
  return decision;
}

}  // namespace sumac::autoscaling
