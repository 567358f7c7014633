#include "planner/autoscaling/cpu_utilization.h"

#include <ostream>
#include <utility>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::autoscaling::cpu_utilization_test {
namespace {

constexpr int kParts = 8;
const auto kClose = boost::test_tools::tolerance(1e-9);

Observation seen(int workers, double compute_seconds) {
  return {workers, 100, 1, compute_seconds, 0};
}

struct Case {
  const char* name;
  CpuMetrics metrics;
  int asked;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.name;
}

// With a target of 80 % and a tolerance of 10 %.
const Case kCases[] = {
    {"more than the target", {1.0, 2}, 3},                                // 2 x 1.25
    {"less than the target", {0.2, 4}, 1},                                // 4 x 0.25
    {"rounded up", {0.2, 5}, 2},                                          // 5 x 0.25
    {"a whole number is not rounded up", {0.96, 5}, 6},                   // 5 x 1.2
    {"on the target", {0.8, 4}, 4},                                       //
    {"the upper edge of the tolerance", {0.88, 40}, 40},                  // 1.1
    {"beyond it", {0.8801, 40}, 45},                                      // 44.005
    {"the lower edge of the tolerance", {0.72, 40}, 40},                  // 0.9
    {"beyond that", {0.7199, 40}, 36},                                    // 35.995
    {"nothing is used", {0, 4}, 0},                                       // bounds come later
    {"nothing is measured", {0, 0, 3, 1}, 4},                             //
    {"missing, more wanted: they use nothing", {1.6, 4, 1}, 8},           // 8 / 5 = 1.6
    {"missing turns the direction up", {1.0, 2, 2}, 4},                   // 2.5 / 4 < 1
    {"missing brings it into the tolerance", {1.0, 4, 1}, 5},             // 5 / 5
    {"missing, fewer wanted: they use the target", {0.4, 4, 2}, 4},       // 4 / 6
    {"missing brings fewer into the tolerance", {0.68, 4, 4}, 8},         // 7.4 / 8
    {"not ready, more wanted: they use nothing", {1.6, 4, 0, 1}, 8},      // 8 / 5
    {"not ready turns the direction", {1.0, 2, 0, 2}, 4},                 // 2.5 / 4 < 1
    {"not ready, fewer wanted: only those that are", {0.4, 4, 0, 2}, 2},  // 4 x 0.5
    {"both, more wanted", {2.4, 4, 1, 1}, 12},                            // 12 / 6
    {"both, fewer wanted", {0.2, 4, 2, 2}, 3},                            // 3 / 6
};

struct Look {
  double at;
  int pods;
  double utilization;
  int recommended;
};

void checkAll(const CpuRule& rule, const std::vector<Look>& looks, std::pair<int, int> bounds) {
  CpuHistory history;
  for (const Look& look : looks) {
    BOOST_TEST_CONTEXT("at " << look.at << " s")
    BOOST_TEST(recommendedByCpu(rule, history, {look.utilization, look.pods}, look.at, bounds) ==
               look.recommended);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cpu_utilization)

BOOST_AUTO_TEST_CASE(counts_computing_of_the_mean_worker_and_300_us_awake) {
  BOOST_TEST(cpuUtilization({}, seen(4, 0.5), kParts) == 0.5003, kClose);
  // Of three workers two have three parts, one has two.
  BOOST_TEST(cpuUtilization({}, seen(3, 0.6), kParts) == 0.6 * 8 / 9 + 0.0003, kClose);
  BOOST_TEST(cpuUtilization({.request = 2, .threads = 4}, seen(4, 0.5), kParts) == 1.00015, kClose);
  // A step of 200 us that mostly waits is all use.
  BOOST_TEST(cpuUtilization({}, {4, 100, 200e-6, 20e-6, 0}, kParts) == 1.0, kClose);
}

BOOST_DATA_TEST_CASE(asks_for_as_many_as_bring_the_utilization_to_its_target,
                     boost::unit_test::data::make(kCases), one) {
  BOOST_TEST(askedByCpu({}, one.metrics) == one.asked);
}

BOOST_AUTO_TEST_CASE(keeps_to_the_bounds) {
  checkAll({}, {{0, 2, 8, 6}, {15, 6, 8, 8}}, {2, 8});
  checkAll({.down_stabilization_seconds = 0}, {{0, 4, 0, 2}}, {2, 8});
}

BOOST_AUTO_TEST_CASE(grows_by_four_or_to_twice_as_many_in_15_seconds) {
  checkAll({}, {{0, 1, 80, 5}, {15, 5, 80, 10}, {30, 10, 80, 20}}, {1, 64});
  // What was added less than 15 s ago counts.
  checkAll({}, {{0, 1, 80, 5}, {5, 5, 80, 5}, {14, 5, 80, 5}, {15, 5, 80, 10}}, {1, 64});
}

BOOST_AUTO_TEST_CASE(shrinks_only_to_the_most_that_was_asked_for_in_the_last_300_seconds) {
  checkAll({}, {{0, 4, 0.8, 4}, {15, 4, 0.2, 4}, {299, 4, 0.2, 4}, {300, 4, 0.2, 1}}, {1, 8});
  // The most of the window, not the newest.
  checkAll({.down_stabilization_seconds = 60},
           {{0, 8, 0.8, 8}, {15, 8, 0.6, 8}, {30, 8, 0.1, 8}, {60, 8, 0.1, 6}, {75, 6, 0.1, 1}},
           {1, 8});
  // What it had when it began counts, too.
  checkAll({}, {{0, 8, 0.1, 8}, {300, 8, 0.1, 1}}, {1, 8});
  checkAll({.down_stabilization_seconds = 0}, {{0, 8, 0.4, 4}}, {1, 8});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::cpu_utilization_test
