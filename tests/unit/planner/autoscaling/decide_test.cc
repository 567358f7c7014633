#include "planner/autoscaling/decide.h"

#include <algorithm>
#include <limits>
#include <ostream>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::autoscaling {

std::ostream& operator<<(std::ostream& out, Reason reason) {
  return out << static_cast<int>(reason);
}

}  // namespace sumac::autoscaling

namespace sumac::autoscaling::decide_test {
namespace {

const boost::test_tools::fpc::percent_tolerance_t<double> kClose{1e-6};

/// V = 8, of 1 to 8 workers, now `workers`; it has trained with all of `steps` and knows them.
Situation observed(int workers, std::initializer_list<std::pair<int, double>> steps) {
  Situation situation{
      .max_workers = 8, .parts = 8, .now = 1000, .steps_left = 1000, .workers = workers};
  for (const auto& [size, seconds] : steps)
    situation.memory.observations.push_back({size, 100, seconds, seconds / 2, 900});
  return situation;
}

/// One worker, 8 s of computing in a step, and an exchange of which nothing is known.
Situation alone() {
  Situation situation = observed(1, {});
  situation.memory.observations = {{1, 100, 8, 8, 900}};
  situation.expected = {{1, 8, 0}, {2, 4, 0.5}, {3, 3, 0.5}, {4, 2, 0.5}, {8, 1, 0.5}};
  return situation;
}

Decision byThroughput(const Situation& situation) {
  return decide({.goal = Goal::kThroughput}, situation);
}

void check(const Decision& decision, int workers, Reason reason) {
  BOOST_TEST(decision.workers == workers);
  BOOST_TEST(decision.reason == reason);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(decisions)

BOOST_AUTO_TEST_CASE(throughput_takes_the_smallest_size_that_is_as_fast) {
  check(byThroughput(alone()), 8, Reason::kSavesTime);
  const Decision decision = byThroughput(alone());
  BOOST_TEST(decision.step.seconds == 1.5, kClose);
  BOOST_TEST(!decision.step.is_observed);
  BOOST_TEST(decision.saves == 1000 * (8 - 1.5), kClose);

  // 4 is 3 % slower than 8 and never tried; observed, it must be within 2 %.
  Situation flat = observed(8, {{8, 1}});
  flat.memory.observations.front().compute_seconds = 0.03;
  flat.expected = {{1, 8, 24}, {2, 4, 24}, {3, 3, 24}, {4, 2, 24}, {8, 1, 24}};
  check(byThroughput(flat), 4, Reason::kSavesCost);
  check(byThroughput(observed(8, {{1, 4}, {2, 3}, {3, 2}, {4, 1.04}, {8, 1}})), 8,
        Reason::kRightSize);
  check(byThroughput(observed(8, {{1, 4}, {2, 3}, {3, 2}, {4, 1.01}, {8, 1}})), 4,
        Reason::kSavesCost);
}

BOOST_AUTO_TEST_CASE(a_change_must_save_more_than_twice_what_it_costs) {
  Situation growing = observed(1, {{1, 2}, {2, 1}, {3, 1}, {4, 1}, {8, 1}});
  growing.change_seconds = 20;
  growing.steps_left = 41;
  check(byThroughput(growing), 2, Reason::kSavesTime);
  growing.steps_left = 40;
  check(byThroughput(growing), 1, Reason::kNotWorth);
  BOOST_TEST(byThroughput(growing).wanted == 2);

  // Worker-seconds: 2 x 1 a step of 4 x 1 are saved, and 4 x 20 lost.
  Situation shrinking = observed(4, {{1, 4}, {2, 1}, {3, 1}, {4, 1}, {8, 1}});
  shrinking.change_seconds = 20;
  const Policy policy{.goal = Goal::kEfficiency, .target_efficiency = 1};
  Situation few = observed(4, {{1, 2}, {2, 1}, {3, 0.7}, {4, 0.55}, {8, 1}});
  few.steps_left = 500;
  few.change_seconds = 10;  // 500 x (2.2 - 2) = 100 saved, 2 x 10 x 4 = 80
  check(decide(policy, few), 2, Reason::kSavesCost);
  few.steps_left = 399;
  check(decide(policy, few), 4, Reason::kNotWorth);
}

BOOST_AUTO_TEST_CASE(efficiency_takes_the_largest_size_that_keeps_the_target) {
  const auto with = [](double target, int workers) {
    return decide({.goal = Goal::kEfficiency, .target_efficiency = target},
                  observed(workers, {{1, 8}, {2, 4.4}, {3, 3.6}, {4, 2.8}, {8, 2.5}}));
  };
  // Efficiencies: 1, 0.91, 0.74, 0.71, 0.4.
  check(with(0.7, 1), 4, Reason::kSavesTime);
  check(with(0.9, 1), 2, Reason::kSavesTime);
  check(with(1, 1), 1, Reason::kRightSize);
  check(with(0, 1), 8, Reason::kSavesTime);
  check(with(0.72, 4), 3, Reason::kSavesCost);
  check(with(0.9, 4), 2, Reason::kTarget);  // missed by more than 10 % of it
}

BOOST_AUTO_TEST_CASE(a_target_that_is_missed_by_far_does_not_wait) {
  Situation soon = observed(8, {{1, 8}, {8, 2.5}});
  soon.since = soon.now - 20;
  soon.steps_left = 1;
  const Policy policy{.goal = Goal::kEfficiency, .target_efficiency = 0.7};
  BOOST_TEST(decide(policy, soon).reason == Reason::kTarget);
  soon.since = soon.now - 10;
  check(decide(policy, soon), 8, Reason::kMeasuring);
}

BOOST_AUTO_TEST_CASE(a_deadline_takes_the_cheapest_size_that_keeps_it) {
  const auto until = [](double left, int workers, double late = 0) {
    Situation situation = observed(workers, {{1, 8}, {2, 4.5}, {3, 4}, {4, 3}, {8, 2}});
    const Decision decision =
        decide({.goal = Goal::kDeadline, .deadline_seconds = situation.now + left}, situation);
    BOOST_TEST(decision.late_seconds == late, kClose);
    return decision;
  };
  check(until(9000, 1), 1, Reason::kRightSize);
  check(until(7000, 1), 2, Reason::kDeadline);
  check(until(3500, 1), 4, Reason::kDeadline);
  check(until(9000, 4), 1, Reason::kSavesCost);
  // Nothing keeps it: the fastest, and how late it is.
  check(until(1500, 1, 505), 8, Reason::kDeadline);
  check(until(1500, 8, 500), 8, Reason::kRightSize);
  check(until(-500, 8, 2500), 8, Reason::kRightSize);
}

BOOST_AUTO_TEST_CASE(ten_percent_are_held_back_for_a_size_that_was_never_tried) {
  const auto until = [](double left) {
    Situation situation = alone();
    return decide({.goal = Goal::kDeadline, .deadline_seconds = situation.now + left}, situation);
  };
  // Two workers are expected to take 4.5 s a step; four, the next that fits, cost more.
  // A change costs 5 s, and so does one back.
  check(until(1.1 * 4500 + 10 + 1), 2, Reason::kDeadline);
  check(until(1.1 * 4500 + 10 - 1), 4, Reason::kDeadline);
}

BOOST_AUTO_TEST_CASE(servers_are_paid_for_too_so_that_more_workers_may_be_cheaper) {
  Situation situation = observed(1, {{1, 8}, {2, 4.5}, {3, 4}, {4, 3}, {8, 1.9}});
  situation.servers = 4;
  const Policy policy{.goal = Goal::kDeadline,
                      .deadline_seconds = 20000,
                      .prices = {.worker_hour = 1, .server_hour = 1}};
  // (N + 4) t(N): 40, 27, 28, 24, 22.8.
  check(decide(policy, situation), 8, Reason::kSavesTime);
}

BOOST_AUTO_TEST_CASE(a_budget_takes_the_fastest_size_that_it_pays) {
  const auto with = [](double budget, int workers, double spent = 0) {
    Situation situation = observed(workers, {{1, 8}, {2, 4.5}, {3, 4}, {4, 3}, {8, 2}});
    situation.spent = spent;
    return decide({.goal = Goal::kCost, .prices = {.worker_hour = 3600}, .budget = budget},
                  situation);
  };
  // Costs of 1,000 steps: 8,000, 9,000, 12,000, 12,000, 16,000.
  check(with(20000, 1), 8, Reason::kSavesTime);
  check(with(14000, 1), 4, Reason::kSavesTime);
  check(with(8200, 1), 1, Reason::kRightSize);
  check(with(14000, 8), 4, Reason::kBudget);
  check(with(20000, 8, 10000), 2, Reason::kBudget);
  check(with(100, 8), 1, Reason::kBudget);  // the cheapest, if none is paid
  BOOST_TEST(with(14000, 8).over_budget == 0);
  // By how much: 8,000 for the steps, and 5 s of eight workers for the change.
  BOOST_TEST(with(100, 8).over_budget == 8000 + 5 * 8 - 100, kClose);
  check(with(100, 1), 1, Reason::kRightSize);
  BOOST_TEST(with(100, 1).over_budget == 7900, kClose);
  BOOST_TEST(with(9000, 1, 2000).over_budget == 1000, kClose);
  BOOST_TEST(decide({.goal = Goal::kCost}, observed(1, {{1, 8}, {8, 2}})).workers == 8);  // free
}

BOOST_AUTO_TEST_CASE(more_time_never_gives_a_faster_size_nor_more_money_a_slower_one) {
  // Four workers cost hardly more than the present two, and more is held back for them.
  Situation situation = alone();
  situation.min_workers = 2;
  situation.workers = 2;
  situation.memory.observations.push_back({2, 100, 4.4, 4, 900});
  situation.expected = {{1, 8, 0}, {2, 4, 0.4}, {3, 3, 0.9}, {4, 2, 0.2125}, {8, 1, 1.4}};
  std::vector<double> by_time;
  std::vector<double> by_money;
  const auto speed = [&](const Policy& policy) {
    situation.since = 0;
    const int wanted = decide(policy, situation).wanted;
    return SizeModel(8, situation.expected, situation.memory.observations, 60)(wanted).seconds;
  };
  for (double share = 0.1; share < 2; share += 0.0005) {
    by_time.push_back(
        speed({.goal = Goal::kDeadline, .deadline_seconds = situation.now + share * 8000}));
    by_money.push_back(
        -speed({.goal = Goal::kCost, .prices = {.worker_hour = 3600}, .budget = share * 12000}));
  }
  BOOST_TEST(std::ranges::is_sorted(by_time));
  BOOST_TEST(std::ranges::is_sorted(by_money));
  BOOST_TEST(by_time.front() < by_time.back());
  BOOST_TEST(by_money.front() < by_money.back());
}

BOOST_AUTO_TEST_CASE(the_way_back_from_a_size_that_was_never_tried_is_paid_for_too) {
  Situation situation = alone();
  situation.change_seconds = 60;
  const auto with = [&](double budget) {
    return decide({.goal = Goal::kCost, .prices = {.worker_hour = 3600}, .budget = budget},
                  situation);
  };
  // 1,000 steps of 1.5 s with eight workers, of which 10 % are held back, and two changes.
  check(with(8 * (1.1 * 1500 + 2 * 60) + 1), 8, Reason::kSavesTime);
  BOOST_TEST(with(8 * (1.1 * 1500 + 2 * 60) - 1).workers < 8);
}

BOOST_AUTO_TEST_CASE(a_size_that_was_left_soon_is_not_known_well_enough_to_go_back_for_little) {
  // Two workers and a server cost 3,600 until the end, and there are 3,600.
  const auto with = [](double steps_of_one, double seconds_of_one) {
    Situation situation = observed(2, {{2, 1.2}});
    situation.servers = 1;
    situation.change_seconds = 20;
    situation.memory.observations.push_back({1, steps_of_one, seconds_of_one, 1, 100});
    return decide(
        {.goal = Goal::kCost, .prices = {.worker_hour = 3600, .server_hour = 3600}, .budget = 3600},
        situation);
  };
  check(with(100, 1.75), 1, Reason::kBudget);  // 3,500, known from 175 s
  BOOST_TEST(with(30, 1.75).workers == 2);     // from 52 s
  check(with(30, 1.65), 1, Reason::kBudget);   // 3,300, from 50 s
}

// It went 1, 4, 1, 4: what some steps had said of one worker was 3 % too little.
BOOST_AUTO_TEST_CASE(a_size_that_was_left_soon_keeps_a_deadline_only_with_much_in_hand) {
  // Two other sizes are known; one worker from four steps of 8 s: 8,000 s until the end.
  const auto with = [](double left, double steps_of_one) {
    Situation situation = observed(4, {{2, 4.5}, {4, 3}});
    situation.memory.observations.push_back({1, steps_of_one, 8, 8, 100});
    return decide({.goal = Goal::kDeadline,
                   .deadline_seconds = situation.now + left,
                   .prices = {.worker_hour = 1}},
                  situation);
  };
  check(with(1.1 * 8000 + 10 + 1, 4), 1, Reason::kSavesCost);
  BOOST_TEST(with(1.1 * 8000 + 10 - 1, 4).workers > 1);
  // What was observed for long needs less, but so much more than the present size that noise
  // alone does not bring the job back.
  check(with(1.05 * 8000 + 5 + 1, 100), 1, Reason::kSavesCost);
  BOOST_TEST(with(1.05 * 8000 + 5 - 1, 100).workers > 1);
}

BOOST_AUTO_TEST_CASE(a_size_that_is_cheaper_and_faster_is_taken_with_less_in_hand) {
  Situation situation = alone();
  situation.servers = 4;
  situation.expected = {{1, 8, 0}, {2, 4, 2.4}, {3, 3, 50}, {4, 2, 50}, {8, 1, 50}};
  // (N + 4) t(N): 40, of which 2 % are held back, and 6 x 6.4 = 38.4, of which 10 % are.
  check(decide({.goal = Goal::kCost,
                .prices = {.worker_hour = 3600, .server_hour = 3600},
                .budget = 41'500},
               situation),
        2, Reason::kSavesTime);
}

BOOST_AUTO_TEST_CASE(a_size_is_observed_for_as_long_as_the_policy_says) {
  Situation young = alone();
  young.since = young.now - 59;
  check(byThroughput(young), 1, Reason::kStabilizing);
  BOOST_TEST(byThroughput(young).wanted == 8);
  BOOST_TEST(byThroughput(young).look_again == young.since + 60, kClose);
  young.since = young.now - 60;
  check(byThroughput(young), 8, Reason::kSavesTime);
  young.since = young.now + 1e6;  // the clock was set back
  check(byThroughput(young), 8, Reason::kSavesTime);
  young.memory.observations.front().steps = 2;
  young.memory.observations.front().step_seconds = 1;
  young.memory.observations.front().compute_seconds = 1;
  check(byThroughput(young), 1, Reason::kMeasuring);
}

BOOST_AUTO_TEST_CASE(reports_that_contradict_stop_what_can_wait) {
  Situation situation = alone();
  situation.memory.odd_reports = 1;
  check(byThroughput(situation), 1, Reason::kMeasuring);
  check(decide({.goal = Goal::kDeadline, .deadline_seconds = 5000}, situation), 4,
        Reason::kDeadline);
  situation.memory.odd_reports = 0;
  situation.memory.is_straggler_odd = true;
  check(byThroughput(situation), 1, Reason::kMeasuring);
}

BOOST_AUTO_TEST_CASE(a_straggler_computes_fewer_parts_where_more_workers_train) {
  Situation slow = alone();
  slow.workers = 2;
  slow.memory.observations = {{1, 100, 8, 8, 900}, {2, 100, 4.5, 4, 900}};
  slow.memory.straggler = Straggler{1, 2};
  check(byThroughput(slow), 8, Reason::kSavesTime);
  BOOST_TEST(byThroughput(slow).step.seconds == 2.5, kClose);
  slow.max_workers = 2;
  check(byThroughput(slow), 1, Reason::kSavesCost);  // 8 s: alone the other one is faster
  BOOST_TEST(!byThroughput(slow).straggler);
}

BOOST_AUTO_TEST_CASE(where_no_other_number_helps_a_straggler_is_named) {
  Situation slow = alone();
  slow.workers = slow.max_workers = 2;
  slow.memory.observations = {{1, 100, 8, 8, 900}, {2, 100, 4.5, 4, 900}};
  slow.memory.straggler = Straggler{1, 1.5};
  const Decision decision = byThroughput(slow);
  check(decision, 2, Reason::kStraggler);
  BOOST_TEST(decision.step.seconds == 6.5, kClose);
  BOOST_TEST_REQUIRE(decision.straggler.has_value());
  BOOST_TEST(decision.straggler->worker == 1);
  BOOST_TEST(decision.straggler->slowdown == 1.5, kClose);
  remember(slow.memory, decision);
  check(byThroughput(slow), 2, Reason::kStraggler);
  slow.memory.straggler.reset();
  check(byThroughput(slow), 2, Reason::kRightSize);
}

BOOST_AUTO_TEST_CASE(sizes_without_room_are_left_until_it_may_be_back) {
  Situation full = alone();
  full.room = Room{.most = 5, .until = 1300};
  check(byThroughput(full), 4, Reason::kSavesTime);
  full.workers = 8;
  check(byThroughput(full), 4, Reason::kRoom);
  BOOST_TEST(byThroughput(full).look_again == 1300, kClose);
  full.room->most = 0;
  check(byThroughput(full), 1, Reason::kRoom);
  full.room->until = 1000;
  BOOST_TEST(byThroughput(full).workers == 8);
  full.workers = 1;
  full.room = Room{.most = 1, .until = std::numeric_limits<double>::infinity()};
  BOOST_TEST(byThroughput(full).look_again == 1000 + 600, kClose);
}

BOOST_AUTO_TEST_CASE(steps_beyond_all_numbers_have_a_decision) {
  Situation odd = observed(2, {});
  odd.memory.observations = {{2, 100, 1e300, 0, 900}};
  odd.expected = {{1, 8, 0}, {2, 4, 1e-300}, {3, 3, 0}, {4, 2, 0}, {8, 1, 0}};
  for (const Goal goal : {Goal::kThroughput, Goal::kEfficiency, Goal::kDeadline, Goal::kCost}) {
    const Decision decision = decide({.goal = goal}, odd);
    BOOST_TEST(decision.workers >= 1);
    BOOST_TEST(decision.workers <= 8);
  }
}

BOOST_AUTO_TEST_CASE(sizes_outside_the_bounds_are_left_at_once) {
  Situation outside = observed(8, {{8, 1}});
  outside.max_workers = 6;
  check(byThroughput(outside), 4, Reason::kBounds);
  outside.memory = {};
  check(byThroughput(outside), 4, Reason::kBounds);
  outside.workers = 1;
  outside.min_workers = 3;
  check(byThroughput(outside), 3, Reason::kBounds);
}

BOOST_AUTO_TEST_CASE(a_size_that_is_not_useful_is_left_where_that_pays) {
  check(byThroughput(observed(5, {{1, 4}, {2, 2}, {3, 2}, {4, 1}, {5, 1}, {8, 1}})), 4,
        Reason::kSavesCost);
}

BOOST_AUTO_TEST_CASE(what_was_found_right_is_kept_until_steps_or_room_change) {
  // Noise has made 8 look a little better since.
  Situation settled = observed(4, {{1, 8}, {2, 4}, {3, 3}, {4, 1.1}, {8, 1}});
  check(byThroughput(settled), 8, Reason::kSavesTime);
  BOOST_TEST(byThroughput(observed(8, {{1, 8}, {8, 1}})).is_settled);
  remember(settled.memory, {.workers = 4,
                            .reason = Reason::kRightSize,
                            .wanted = 4,
                            .step = {1, true},
                            .is_settled = true,
                            .most = 8});
  check(byThroughput(settled), 4, Reason::kRightSize);
  settled.max_workers = 7;
  check(byThroughput(settled), 4, Reason::kRightSize);
  settled.max_workers = 8;
  reopen(settled.memory);
  check(byThroughput(settled), 8, Reason::kSavesTime);
}

BOOST_AUTO_TEST_CASE(a_search_ends) {
  Situation searching = alone();
  searching.memory.most = 8;
  searching.memory.changes = 4;
  check(byThroughput(searching), 1, Reason::kRightSize);
  searching.memory.observations.push_back({2, 100, 4.5, 4, 900});
  check(byThroughput(searching), 2, Reason::kSavesTime);
  searching.memory.changes = 5;
  check(byThroughput(searching), 1, Reason::kNotWorth);
  // There is more room than there was.
  searching.memory.most = 2;
  check(byThroughput(searching), 8, Reason::kSavesTime);
  remember(searching.memory, byThroughput(searching));
  BOOST_TEST(searching.memory.changes == 1);
}

BOOST_AUTO_TEST_CASE(a_job_without_steps_left_or_observations_keeps_its_size) {
  Situation done = alone();
  done.steps_left = 0;
  check(byThroughput(done), 1, Reason::kDone);
  check(byThroughput({.max_workers = 8, .parts = 8, .steps_left = 10}), 1, Reason::kMeasuring);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::decide_test
