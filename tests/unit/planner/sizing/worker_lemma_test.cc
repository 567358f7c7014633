#include "planner/sizing/worker_lemma.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::planner::worker_lemma_test {
namespace {

using boost::test_tools::tolerance;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename Value>
std::string problemOf(const Result<Value>& result) {
  return result ? "none" : result.error().message;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(z2_worker_lemma)

BOOST_AUTO_TEST_CASE(z2_with_a_tenth_of_overhead_four_workers_are_three_times_as_fast) {
  constexpr std::array kSpeedups{1.0, 1.8333, 2.5385, 3.1429, 3.6667, 4.1250, 4.5294, 4.8889};
  std::int64_t workers = 0;
  for (const double speedup : kSpeedups) {
    ++workers;
    BOOST_TEST(*speedupOf(0.1, workers) == speedup, tolerance(2e-5));
    BOOST_TEST(*efficiencyOf(0.1, workers) == speedup / static_cast<double>(workers),
               tolerance(2e-5));
  }
  BOOST_TEST(*smallestWorkers(0.1, 3) == 4);
}

BOOST_AUTO_TEST_CASE(z2_the_smallest_numbers_of_workers_are_those_of_the_table) {
  struct Case {
    double overhead_ratio;
    double speedup;
    std::int64_t workers;
  };
  for (const Case& each : {Case{0.05, 2, 3}, Case{0.05, 3, 4}, Case{0.05, 4, 5}, Case{0.05, 6, 8},
                           Case{0.05, 8, 13}, Case{0.2, 2, 3}, Case{0.2, 3, 5}, Case{0.2, 4, 10}}) {
    const auto workers = smallestWorkers(each.overhead_ratio, each.speedup);

    BOOST_REQUIRE(workers);
    BOOST_TEST(*workers == each.workers, each.overhead_ratio << " " << each.speedup);
    BOOST_TEST(*speedupOf(each.overhead_ratio, *workers) >= each.speedup * (1 - 1e-12));
    BOOST_TEST(*speedupOf(each.overhead_ratio, *workers - 1) < each.speedup);
  }
}

BOOST_AUTO_TEST_CASE(z2_a_speedup_above_the_limit_is_impossible) {
  BOOST_TEST(*speedupLimit(0.2) == 6);
  test::Refusals refusals;
  refusals.add("at the limit", smallestWorkers(0.2, 6));
  refusals.add("above the limit", smallestWorkers(0.2, 7));
  refusals.compareWith("planner/sizing/worker_lemma.txt");
  BOOST_TEST(*smallestWorkers(0.2, 5.99) > 1000);
}

BOOST_AUTO_TEST_CASE(z2_the_largest_overheads_for_an_efficiency_of_0_8_are_those_of_the_table) {
  BOOST_TEST(*largestOverheadRatio(0.8, 2) == 0.33333, tolerance(2e-5));
  BOOST_TEST(*largestOverheadRatio(0.8, 4) == 0.09091, tolerance(2e-4));
  BOOST_TEST(*largestOverheadRatio(0.8, 8) == 0.03704, tolerance(2e-4));
  BOOST_TEST(*largestOverheadRatio(0.8, 16) == 0.01695, tolerance(3e-4));
}

BOOST_AUTO_TEST_CASE(the_overhead_for_a_speedup_is_the_inverse_of_the_speedup) {
  for (const double ratio : {0.01, 0.1, 0.5, 2.0}) {
    for (const std::int64_t workers : {2, 3, 8, 1024}) {
      const auto speedup = speedupOf(ratio, workers);
      BOOST_REQUIRE(speedup);
      BOOST_TEST(*overheadRatioForSpeedup(*speedup, workers) == ratio, tolerance(1e-9));
      BOOST_TEST(*largestOverheadRatio(*efficiencyOf(ratio, workers), workers) == ratio,
                 tolerance(1e-9));
    }
  }
}

BOOST_AUTO_TEST_CASE(without_overhead_nothing_is_lost) {
  BOOST_TEST(*overheadRatio(2, 0) == 0);
  BOOST_TEST(*speedupOf(0, 64) == 64);
  BOOST_TEST(*speedupLimit(0) == kInfinity);
  BOOST_TEST(*smallestWorkers(0, 64) == 64);
  BOOST_TEST(*overheadRatioForSpeedup(64, 64) == 0);
}

BOOST_AUTO_TEST_CASE(one_worker_is_as_fast_as_one_with_any_overhead) {
  BOOST_TEST(*speedupOf(1e300, 1) == 1);
  BOOST_TEST(*largestOverheadRatio(0.5, 2) == kInfinity);
  BOOST_TEST(*overheadRatioForSpeedup(1, 5) == kInfinity);
}

BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_are_refused) {
  BOOST_TEST(*overheadRatio(2, 0.5) == 0.25);
  for (const std::string& problem :
       {problemOf(overheadRatio(0, 1)), problemOf(overheadRatio(1, -1)),
        problemOf(overheadRatio(1e-308, 1e300)), problemOf(speedupOf(-0.1, 2)),
        problemOf(speedupOf(std::nan(""), 2)), problemOf(speedupOf(0.1, 0)),
        problemOf(speedupLimit(kInfinity)), problemOf(smallestWorkers(0.1, 0)),
        problemOf(largestOverheadRatio(0, 2)), problemOf(largestOverheadRatio(1.01, 2)),
        problemOf(overheadRatioForSpeedup(3, 2)), problemOf(smallestWorkers(0, 1e18))}) {
    BOOST_TEST(problem.rfind("number of workers: ", 0) == 0U, problem);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::worker_lemma_test
