#include "planner/autoscaling/job_sizer.h"

#include <limits>

#include <boost/test/unit_test.hpp>

#include "planner/autoscaling/simulated_job.h"
#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling::job_sizer_test {
namespace {

const auto kClose = boost::test_tools::tolerance(1e-9);
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// V = 8, sizes 1 to 8, with observations of 60 s.
SizedJob job(Goal goal = Goal::kThroughput) {
  return {.policy = {.goal = goal}, .max_workers = 8, .parts = 8, .servers = 1};
}

/// As worker 0 reports it after so many steps, each of which had these phases.
Progress progress(Step step, double gradients, double wait) {
  Progress progress;
  progress.step = step;
  progress.total_steps = 1000;
  const auto steps = static_cast<double>(step);
  progress.gradient_seconds = steps * gradients;
  progress.update_seconds = 0;
  progress.sum_wait_seconds = steps * wait;
  progress.data_wait_seconds = 0;
  return progress;
}

/// A sizer in the place of a simulation's own memory.
Sizer by(JobSizer& sizer) {
  return [&sizer](const Situation& situation, const Observation& report) {
    const SizingCourse& course = sizer.course();
    if (report.workers != course.workers || situation.since > course.since)
      sizer.trains(report.workers, situation.since);
    sizer.setRoom(situation.room);
    sizer.done({report.steps, report.step_seconds, report.compute_seconds}, situation.steps_left,
               situation.now);
    return sizer.decide(situation.now);
  };
}

SimulatedJob simulated(double exchange) {
  SimulatedJob job;
  job.parts = 8;
  job.max_workers = 8;
  job.servers = 1;
  job.steps = 2000;
  job.step = [exchange](int workers) {
    const double compute = busiestParts(8, workers);
    return TrueStep{compute + exchange * workers, compute};
  };
  return job;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_sizer)

BOOST_AUTO_TEST_CASE(goes_the_way_of_a_simulated_job) {
  for (const Goal goal : {Goal::kThroughput, Goal::kEfficiency, Goal::kDeadline}) {
    for (const double exchange : {0.05, 0.3}) {
      SizedJob sized = job(goal);
      sized.policy.deadline_seconds = 7000;
      JobSizer sizer(sized, 1);
      const SimulatedRun own = simulate(simulated(exchange), byPolicy(sized.policy));
      const SimulatedRun run = simulate(simulated(exchange), by(sizer));

      BOOST_TEST(run.seconds == own.seconds);
      BOOST_REQUIRE_EQUAL(run.changes.size(), own.changes.size());
      BOOST_TEST(!own.changes.empty());
      for (std::size_t i = 0; i < run.changes.size(); ++i) {
        BOOST_TEST(run.changes[i].at == own.changes[i].at);
        BOOST_TEST(run.changes[i].decision.workers == own.changes[i].decision.workers);
      }
      BOOST_TEST(sizer.course().changes == static_cast<int>(own.changes.size()));
    }
  }
}

BOOST_AUTO_TEST_CASE(follows_room_that_is_cut_and_is_there_again) {
  JobSizer sizer(job(), 1);
  SimulatedJob cut = simulated(0.05);
  cut.events = {{.at = 900, .kind = SimulatedEvent::Kind::kRoom, .workers = 2},
                {.at = 1500, .kind = SimulatedEvent::Kind::kRoom, .workers = 0}};
  const SimulatedRun run = simulate(cut, by(sizer));
  BOOST_REQUIRE_EQUAL(run.changes.size(), 3U);
  BOOST_TEST(run.changes[0].decision.workers == 8);
  BOOST_TEST(run.changes[1].decision.workers == 2);
  BOOST_TEST((run.changes[1].decision.reason == Reason::kRoom));
  BOOST_TEST(run.changes[1].at < 900 + 15);
  BOOST_TEST(run.changes[2].decision.workers == 8);
  BOOST_TEST(run.changes[2].at < 1500 + 60);
}

BOOST_AUTO_TEST_CASE(the_busiest_worker_computes_more_parts_than_the_one_that_reports) {
  // Of 8 parts three workers have 2, 3 and 3.
  const auto steps = stepsBetween(progress(10, 2, 1.5), progress(30, 2, 1.5), 3, 8);
  BOOST_REQUIRE(steps.has_value());
  BOOST_TEST(steps->steps == 20);
  BOOST_TEST(steps->step_seconds == 3.5, kClose);
  BOOST_TEST(steps->compute_seconds == 3, kClose);
  // No longer than the step.
  BOOST_TEST(stepsBetween(progress(10, 2, 0.5), progress(30, 2, 0.5), 3, 8)->compute_seconds == 2.5,
             kClose);
}

BOOST_AUTO_TEST_CASE(a_straggler_computes_what_all_wait_for) {
  const auto with = [](int workers, double gradients, double wait, Straggler straggler) {
    Progress after = progress(30, gradients, wait);
    after.straggler = straggler;
    return stepsBetween(progress(10, gradients, wait), after, workers, 8).value();
  };
  // A part takes 0.5 s, and the slow worker three times as long.
  const StepsDone slow = with(2, 2, 4.5, {1, 3});
  BOOST_TEST(slow.compute_seconds == 6, kClose);
  BOOST_TEST((slow.straggler == Straggler{1, 3}));
  BOOST_TEST(with(2, 6, 0.5, {0, 3}).compute_seconds == 6, kClose);
  // Of 8 parts three workers have 2, 3 and 3: the first one may be slower by a half.
  BOOST_TEST(!with(3, 1.5, 0.5, {0, 1.5}).straggler);
  BOOST_TEST(with(3, 1.5, 0.5, {0, 1.5}).compute_seconds == 1.5, kClose);
  // Others may have left, and its index lie beyond those that train.
  BOOST_TEST(with(3, 1, 3, {7, 2}).compute_seconds == 3, kClose);
  // Of next to nothing it does not matter.
  BOOST_TEST(!with(2, 0.1, 9, {1, 3}).straggler);
}

BOOST_AUTO_TEST_CASE(reports_of_two_processes_or_without_times_say_nothing) {
  const Progress later = progress(30, 2, 1);
  BOOST_TEST(!stepsBetween(later, later, 2, 8));
  BOOST_TEST(!stepsBetween(progress(10, 9, 1), later, 2, 8));
  Progress silent = later;
  silent.sum_wait_seconds.reset();
  BOOST_TEST(!stepsBetween(progress(10, 2, 1), silent, 2, 8));
  BOOST_TEST(!stepsBetween(progress(10, 2, 1), later, 9, 8));
  BOOST_TEST(!stepsBetween(progress(10, 2, 1), later, 0, 8));
  silent.sum_wait_seconds = std::numeric_limits<double>::infinity();
  BOOST_TEST(!stepsBetween(progress(10, 2, 1), silent, 2, 8));
}

BOOST_AUTO_TEST_CASE(is_made_of_a_job_with_or_without_a_model_of_its_exchange) {
  job::TrainingJob document;
  document.training.batch_size = 64;
  document.training.logical_workers = 8;
  document.worker.min_replicas = 2;
  document.worker.max_replicas = 16;
  document.server.replicas = 3;
  document.autoscaling = job::AutoscalingSpec{};
  document.autoscaling->stabilization_seconds = 7;
  const auto check = [&document] {
    SizedJob sized = sizedJobOf(document);
    BOOST_TEST(sized.min_workers == 2);
    BOOST_TEST(sized.max_workers == 8);
    BOOST_TEST(sized.servers == 3);
    BOOST_TEST(sized.policy.stabilization_seconds == 7);
    BOOST_REQUIRE_EQUAL(sized.expected.size(), 4U);  // 2, 3, 4 and 8
    BOOST_TEST(sized.expected.back().compute == 1);
    return sized;
  };
  const SizedJob unknown = check();
  BOOST_TEST(unknown.expected.front().exchange == unknown.expected.back().exchange);
  BOOST_TEST(unknown.expected.front().exchange > 0);
  document.model.name = "lenet5";
  const SizedJob known = check();
  BOOST_TEST(known.expected.front().exchange < known.expected.back().exchange);
  BOOST_TEST(known.change_seconds == kChangeInPlaceSeconds);
  document.strategy.codec = Codec::kBf16;
  BOOST_TEST(check().change_seconds == kChangeByRestartSeconds);
}

BOOST_AUTO_TEST_CASE(grows_by_what_is_reported_and_waits_for_the_change) {
  JobSizer sizer(job(), 1);
  sizer.trains(1, 10);
  Decision decision;
  Step step = 0;
  double now = 10;
  while (decision.workers == 1 && now < 200) {
    sizer.progressed(progress(++step, 8, 0.5), now += 8.5);
    decision = sizer.decide(now);
  }
  BOOST_TEST(decision.workers == 8);
  BOOST_TEST((decision.reason == Reason::kSavesTime));
  BOOST_TEST(now >= 70);
  BOOST_TEST(now < 90);
  BOOST_TEST(sizer.course().is_changing);
  // One worker trains on meanwhile, and nothing else is decided.
  for (int i = 0; i < 20; ++i) {
    sizer.progressed(progress(++step, 8, 0.5), now += 8.5);
    BOOST_TEST(sizer.decide(now).workers == 8);
  }
  BOOST_TEST(sizer.course().memory.observations.size() == 1U);
  sizer.paused(2);
  sizer.trains(8, now += 2);
  BOOST_TEST(!sizer.course().is_changing);
  BOOST_TEST(sizer.course().changes == 1);
  // What one worker reported is not compared with what follows.
  sizer.progressed(progress(++step, 9, 9), now + 5);
  BOOST_TEST(sizer.course().memory.observations.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_room_that_is_smaller_ends_the_wait_for_a_change) {
  JobSizer sizer(job(), 1);
  sizer.trains(1, 0);
  for (Step step = 0; step < 9; ++step)
    sizer.progressed(progress(step, 8, 0.5), 8.5 * static_cast<double>(step));
  BOOST_REQUIRE(sizer.decide(80).workers == 8);
  sizer.setRoom(Room{.most = 1, .until = 500});
  const Decision back = sizer.decide(90);
  BOOST_TEST(back.workers == 1);
  BOOST_TEST((back.reason == Reason::kRoom));
  BOOST_TEST(back.look_again <= 500);
  BOOST_TEST(!sizer.course().is_changing);
}

BOOST_AUTO_TEST_CASE(a_size_is_measured_once_so_many_train_even_if_it_was_before) {
  JobSizer sizer(job(), 1);
  double now = 0;
  const auto train = [&](int workers, double seconds, double compute) {
    sizer.trains(workers, now);
    for (int i = 0; i < 40; ++i)
      sizer.done({1, seconds, compute}, 1000, now += seconds);
    return sizer.decide(now).workers;
  };
  BOOST_REQUIRE(train(1, 8.5, 8) == 8);
  BOOST_REQUIRE(train(8, 1.5, 1) == 8);
  sizer.setRoom(Room{.most = 1, .until = 1e6});
  BOOST_REQUIRE(sizer.decide(now).workers == 1);
  BOOST_REQUIRE(train(1, 8.5, 8) == 1);
  sizer.setRoom({});
  BOOST_REQUIRE(sizer.decide(now).workers == 8);
  // Pods, or a node, are waited for.
  BOOST_TEST((sizer.decide(now + 300).reason == Reason::kMeasuring));
  sizer.trains(8, now + 300);
  BOOST_TEST((sizer.decide(now + 400).reason == Reason::kRightSize));
}

BOOST_AUTO_TEST_CASE(short_steps_are_observed_together) {
  SizedJob quick = job();
  quick.policy.stabilization_seconds = 12;
  JobSizer sizer(quick, 1);
  // Every other step takes three times as long: alone it would be thought another job.
  double now = 0;
  for (int i = 0; i < 100; ++i) {
    const double seconds = i % 2 == 0 ? 0.1 : 0.3;
    sizer.done({1, seconds, seconds}, 1000, now += seconds);
  }
  const Memory& memory = sizer.course().memory;
  BOOST_REQUIRE(memory.find(1) != nullptr);
  BOOST_TEST(memory.find(1)->step_seconds == 0.2, kClose);
  BOOST_TEST(memory.odd_reports == 0);
}

BOOST_AUTO_TEST_CASE(time_and_money_are_counted_from_the_start) {
  SizedJob paid = job();
  paid.policy.prices = {.worker_hour = 3600, .server_hour = 360};
  JobSizer sizer(paid, 2);
  sizer.trains(2, 10);
  sizer.trains(4, 20);
  sizer.decide(30);
  BOOST_TEST(sizer.course().worker_seconds == 20 * 2 + 10 * 4, kClose);
  BOOST_TEST(sizer.course().server_seconds == 30, kClose);
  BOOST_TEST(sizer.cost() == 80 + 3, kClose);
}

BOOST_AUTO_TEST_CASE(a_change_costs_what_those_before_did) {
  JobSizer sizer(job(), 1);
  BOOST_TEST(sizer.changeSeconds() == kChangeInPlaceSeconds);
  sizer.paused(1);
  sizer.paused(2);
  sizer.paused(kNan);
  sizer.paused(-1);
  BOOST_TEST(sizer.changeSeconds() == 1.5);
}

BOOST_AUTO_TEST_CASE(what_passes_between_steps_counts_for_a_deadline) {
  SizedJob late = job(Goal::kDeadline);
  late.policy.deadline_seconds = 1200;
  late.max_workers = 1;
  const auto lateness = [&](double between) {
    JobSizer sizer(late, 1);
    double now = 0;
    for (Step step = 0; step <= 100; ++step)
      sizer.progressed(progress(step, 1, 0), now += 1 + between);
    return sizer.decide(now).late_seconds;
  };
  BOOST_TEST(lateness(0) == 0);
  // 101 steps of 1.5 s are done, 900 are left.
  BOOST_TEST(lateness(0.5) == 1.5 * 1001 - 1200, kClose);
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_change_nothing) {
  JobSizer sizer(job(), 1);
  sizer.trains(1, 100);
  const SizingCourse before = sizer.course();
  for (const double bad : {kNan, -1.0, 99.0, std::numeric_limits<double>::infinity()}) {
    sizer.done({1, 1, kNan}, kNan, bad);
    sizer.done({-1, 1, 1}, kNan, bad);
    sizer.done({1, -1, 1}, kNan, bad);
    sizer.done({0, 1, 1}, kNan, bad);
    sizer.trains(1, bad);
  }
  BOOST_TEST((sizer.course() == before));
  BOOST_TEST(sizer.decide(kNan).workers == 1);
  JobSizer none(job(), -3);
  BOOST_TEST(none.course().workers == 1);
}

BOOST_AUTO_TEST_CASE(goes_on_where_another_one_has_ended) {
  JobSizer first(job(), 1);
  double now = 0;
  for (int i = 0; i < 4; ++i)
    first.done({1, 8.5, 8}, 1000, now += 8.5);
  JobSizer next(first.job(), first.course());
  for (int i = 0; i < 8; ++i) {
    for (JobSizer* const each : {&first, &next})
      each->done({1, 8.5, 8}, 1000, now + 8.5);
    now += 8.5;
    BOOST_TEST((first.decide(now) == next.decide(now)));
  }
  BOOST_TEST((first.course() == next.course()));
  BOOST_TEST(first.course().wanted == 8);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::job_sizer_test
