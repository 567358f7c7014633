#include "planner/autoscaling/memory.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

namespace sumac::autoscaling::memory_test {
namespace {

constexpr double kStabilization = 60;

/// Ten seconds of steps.
Observation report(int workers, double step_seconds, double at, double compute_share = 0.5) {
  return {workers, 10 / step_seconds, step_seconds, compute_share * step_seconds, at};
}

Memory settledAt(int workers, double step_seconds) {
  Memory memory;
  observe(memory, report(8, 0.5, 10), kStabilization);
  for (int i = 2; i <= 8; ++i)
    observe(memory, report(workers, step_seconds, 10 * i), kStabilization);
  memory.settled_step_seconds = step_seconds;
  return memory;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(keeps_the_mean_of_each_size_by_its_steps) {
  Memory memory;
  observe(memory, {2, 30, 1.0, 0.6, 10}, kStabilization);
  observe(memory, {2, 10, 1.2, 0.8, 20}, kStabilization);
  observe(memory, {4, 5, 0.5, 0.3, 30}, kStabilization);

  BOOST_REQUIRE_EQUAL(memory.observations.size(), 2U);
  BOOST_TEST(memory.find(2)->step_seconds == 1.05, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(2)->compute_seconds == 0.65, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(2)->steps == 40);
  BOOST_TEST((memory.find(3) == nullptr));
}

BOOST_AUTO_TEST_CASE(keeps_sixteen_sizes_the_oldest_goes) {
  Memory memory;
  for (int size = 1; size <= 20; ++size)
    observe(memory, report(size, 1, size), kStabilization);

  BOOST_TEST(memory.observations.size() == kMostObservations);
  BOOST_TEST((memory.find(4) == nullptr));
  BOOST_TEST((memory.find(5) != nullptr));
}

BOOST_AUTO_TEST_CASE(a_short_disturbance_changes_nothing) {
  Memory memory = settledAt(4, 1);
  const Memory before = memory;
  for (int i = 0; i < 5; ++i)
    observe(memory, report(4, 3, 100 + 10 * i), kStabilization);
  BOOST_TEST((memory.observations == before.observations));
  BOOST_TEST(memory.odd_reports == 5);

  observe(memory, report(4, 1, 150), kStabilization);
  BOOST_TEST(memory.odd_reports == 0);
  BOOST_TEST(memory.find(4)->step_seconds == 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.settled_step_seconds == 1);
}

BOOST_AUTO_TEST_CASE(one_that_stays_is_believed_and_scales_what_is_known_of_other_sizes) {
  Memory memory = settledAt(4, 1);
  // Computing takes twice as long, the exchange four times.
  for (int i = 0; i < 7; ++i)
    observe(memory, {4, 3, 3, 1, 100.0 + 10 * i}, kStabilization);

  BOOST_TEST(memory.find(4)->step_seconds == 3, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(8)->compute_seconds == 0.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(8)->step_seconds == 0.5 + 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.settled_step_seconds == 0);
}

BOOST_AUTO_TEST_CASE(of_what_was_hardly_there_a_ratio_says_nothing) {
  // One worker hardly waits for sums; then something else takes half of its time.
  Memory memory;
  observe(memory, report(4, 0.3, 10), kStabilization);
  for (int i = 2; i <= 8; ++i)
    observe(memory, report(1, 1, 10 * i, 0.999), kStabilization);
  for (int i = 0; i < 10; ++i)
    observe(memory, {1, 5, 2, 0.999, 100.0 + 10 * i}, kStabilization);

  BOOST_TEST(memory.find(1)->step_seconds == 2, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(4)->step_seconds == 0.3 + 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(4)->compute_seconds == 0.15, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_of_equal_workers) {
  // Of 8 parts the fourth of four workers has two, and takes three times as long for each.
  Memory memory = settledAt(4, 1);
  const Memory before = memory;
  for (int i = 0; i < 5; ++i)
    observe(memory, {4, 5, 2, 1.5, 90.0 + 10 * i}, kStabilization, Straggler{3, 3}, 8);
  BOOST_TEST(memory.find(4)->step_seconds == 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(4)->compute_seconds == 0.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST((*memory.find(8) == *before.find(8)));
  BOOST_TEST(memory.is_straggler_odd);
  BOOST_TEST(!memory.straggler);
  BOOST_TEST(memory.settled_step_seconds == 1);
}

BOOST_AUTO_TEST_CASE(a_straggler_is_believed_once_it_has_lasted_and_so_is_its_end) {
  Memory memory = settledAt(4, 1);
  double at = 100;
  const auto pass = [&](int reports, int workers, const std::optional<Straggler>& straggler) {
    for (int i = 0; i < reports; ++i, at += 10)
      observe(memory, {workers, 10, 1, 0.5, at}, kStabilization, straggler, 8);
  };
  pass(5, 4, Straggler{3, 2});
  BOOST_TEST(!memory.straggler);
  pass(1, 4, std::nullopt);
  BOOST_TEST(!memory.is_straggler_odd);
  pass(6, 4, Straggler{3, 2});
  BOOST_TEST((memory.straggler == Straggler{3, 2}));
  BOOST_TEST(memory.settled_step_seconds == 0);
  pass(20, 3, std::nullopt);  // which does not have it
  BOOST_TEST((memory.straggler == Straggler{3, 2}));
  pass(20, 4, Straggler{3, 2.2});
  BOOST_TEST(!memory.is_straggler_odd);
  pass(6, 4, std::nullopt);
  BOOST_TEST(!memory.straggler);
}

BOOST_AUTO_TEST_CASE(a_straggler_slows_sizes_by_the_parts_that_it_has_there) {
  const auto of = [](int workers) { return slowdownOf(Straggler{0, 2}, workers, 8); };
  BOOST_TEST(of(1) == 2);
  BOOST_TEST(of(3) == 4.0 / 3, boost::test_tools::tolerance(1e-9));  // two parts, others have 3
  BOOST_TEST(of(8) == 2);
  BOOST_TEST(slowdownOf(Straggler{0, 1.2}, 3, 8) == 1);
  BOOST_TEST(slowdownOf(Straggler{3, 2}, 3, 8) == 1);
  BOOST_TEST(slowdownOf(std::nullopt, 3, 8) == 1);
  BOOST_TEST(slowdownOf(Straggler{-1, std::nan("")}, -3, -8) == 1);
}

BOOST_AUTO_TEST_CASE(a_size_that_was_hardly_observed_says_nothing_of_others) {
  Memory memory;
  observe(memory, report(8, 0.5, 10), kStabilization);
  observe(memory, report(4, 9, 20), kStabilization);  // it came in a disturbance
  for (int i = 0; i < 7; ++i)
    observe(memory, report(4, 1, 30 + 10 * i), kStabilization);

  BOOST_TEST(memory.find(4)->step_seconds == 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(memory.find(8)->step_seconds == 0.5);
}

BOOST_AUTO_TEST_CASE(a_slow_drift_reopens_the_decision) {
  Memory memory = settledAt(4, 1);
  for (int i = 0; i < 400 && memory.settled_step_seconds > 0; ++i)
    observe(memory, report(4, 1.2 * memory.find(4)->step_seconds, 100 + 10 * i), kStabilization);
  BOOST_TEST(memory.settled_step_seconds == 0);
  BOOST_TEST(memory.find(4)->step_seconds > 1.25);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_ignored_and_taken_out) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Memory memory;
  memory.observations = {{0, 1, 1, 1, 1}, {2, 10, kNone, 0, 1}, {4, 10, 1, 0.5, 1}};
  for (const Observation& wrong :
       {Observation{4, 10, kNone, 0, 1}, Observation{4, -1, 1, 0, 1}, Observation{4, 1, 1, 2, 1},
        Observation{4, 1, 0, 0, 1}, Observation{4, 1, 1, -1, 1}, Observation{-4, 1, 1, 0, 1},
        Observation{4, 1, 1, 0, std::numeric_limits<double>::infinity()}})
    observe(memory, wrong, kStabilization);

  BOOST_REQUIRE_EQUAL(memory.observations.size(), 1U);
  BOOST_TEST((memory.observations.front() == Observation{4, 10, 1, 0.5, 1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::memory_test
