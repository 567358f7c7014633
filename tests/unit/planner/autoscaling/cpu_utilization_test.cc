#include "planner/autoscaling/cpu_utilization.h"

#include <boost/test/unit_test.hpp>

namespace sumac::autoscaling::cpu_utilization_test {
namespace {

constexpr int kParts = 8;
const boost::test_tools::fpc::percent_tolerance_t<double> kClose{1e-6};

Observation seen(int workers, double compute_seconds, double at = 0) {
  return {workers, 100, 1, compute_seconds, at};
}

int recommended(int workers, double compute_seconds) {
  CpuHistory history;
  return recommendedByCpu({}, history, seen(workers, compute_seconds), kParts, {1, 8});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cpu_utilization)

BOOST_AUTO_TEST_CASE(counts_computing_of_the_mean_worker_and_300_us_awake) {
  BOOST_TEST(cpuUtilization({}, seen(4, 0.5), kParts) == 0.5003, kClose);
  // Of three workers two have three parts, one has two.
  BOOST_TEST(cpuUtilization({}, seen(3, 0.6), kParts) == 0.6 * 8 / 9 + 0.0003, kClose);
  BOOST_TEST(cpuUtilization({.request = 2, .threads = 4}, seen(4, 0.5), kParts) == 1.00015, kClose);
  // A step of 200 us that mostly waits is all use.
  BOOST_TEST(cpuUtilization({}, {4, 100, 200e-6, 20e-6, 0}, kParts) == 1, kClose);
}

BOOST_AUTO_TEST_CASE(asks_for_as_many_as_bring_the_utilization_to_its_target) {
  BOOST_TEST(recommended(2, 1) == 3);     // 2 x 1.25
  BOOST_TEST(recommended(2, 0.85) == 2);  // within the tolerance
  BOOST_TEST(recommended(4, 0.2) == 2);   // 4 x 0.25, rounded up
  BOOST_TEST(recommended(8, 1) == 8);     // within bounds
  BOOST_TEST(recommended(1, 0.05) == 1);
}

BOOST_AUTO_TEST_CASE(grows_by_four_or_to_twice_as_many_at_once) {
  CpuHistory history;
  const CpuRule eager{.target = 0.01};
  BOOST_TEST(recommendedByCpu(eager, history, seen(1, 1), 64, {1, 64}) == 5);
  BOOST_TEST(recommendedByCpu(eager, history, seen(10, 1), 64, {1, 64}) == 20);
}

BOOST_AUTO_TEST_CASE(shrinks_only_to_the_most_of_the_last_300_seconds) {
  CpuHistory history;
  const auto at = [&history](double now, int workers, double computing) {
    return recommendedByCpu({}, history, seen(workers, computing, now), kParts, {1, 8});
  };
  BOOST_TEST(at(0, 4, 0.8) == 4);
  BOOST_TEST(at(15, 4, 0.2) == 4);
  BOOST_TEST(at(300, 4, 0.2) == 4);
  BOOST_TEST(at(315, 4, 0.2) == 2);
  BOOST_TEST(history.recommended.size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::cpu_utilization_test
