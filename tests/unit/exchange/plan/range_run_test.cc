#include "exchange/plan/range_run.h"

#include <boost/test/unit_test.hpp>

namespace sumac::range_run_test {
namespace {

struct Fixture {
  // 8 ranges of 4,096 values, and one for the loss.
  ExchangePlan plan = makeExchangePlan({8 * 4096}, 4, {}, {.pieces = 8, .smallest = 4096});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(range_run, Fixture)

BOOST_AUTO_TEST_CASE(neighbours_travel_together_up_to_the_longest_run) {
  BOOST_TEST_REQUIRE(plan.longest_run == 16'384);
  const auto runs = runsOf(plan, {0, 1, 2, 3, 4, 5});
  BOOST_TEST_REQUIRE(runs.size() == 2U);
  BOOST_TEST((runs[0] == RangeRun{0, 4, 0, 4 * 4096}));
  BOOST_TEST((runs[1] == RangeRun{4, 2, 4 * 4096, 2 * 4096}));
}

BOOST_AUTO_TEST_CASE(what_is_not_next_to_it_begins_a_run) {
  const auto runs = runsOf(plan, {1, 3});
  BOOST_TEST_REQUIRE(runs.size() == 2U);
  BOOST_TEST(runs[1].first == 3 * 4096);
  BOOST_TEST(runsOf(plan, {}).empty());
}

BOOST_AUTO_TEST_CASE(large_ranges_travel_alone) {
  const ExchangePlan large = makeExchangePlan({1 << 20}, 4, {}, {.pieces = 2});
  BOOST_TEST(large.longest_run == 131'072);
  BOOST_TEST(runsOf(large, {0, 1, 2}).size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_run_is_made_of_whole_ranges) {
  for (const RangeRun& run : runsOf(plan, {0, 1, 2, 3, 4, 5, 6, 7, 8})) {
    const auto found = findRun(plan, run.range, static_cast<std::uint64_t>(run.first),
                               static_cast<std::uint32_t>(run.count));
    BOOST_TEST((found == run));
  }
  BOOST_TEST(!findRun(plan, 9, 0, 4096));
  BOOST_TEST(!findRun(plan, ~0U, 0, 4096));
  BOOST_TEST(!findRun(plan, 1, 4095, 4096));
  BOOST_TEST(!findRun(plan, 1, ~0ULL, 4096));
  BOOST_TEST(!findRun(plan, 1, 4096, 4095));
  BOOST_TEST(!findRun(plan, 1, 4096, 4097));
  BOOST_TEST(!findRun(plan, 1, 4096, 0));
  BOOST_TEST(!findRun(plan, 8, 8 * 4096, ~0U));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::range_run_test
