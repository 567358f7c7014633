#include "planner/parallel/collectives.h"

#include <boost/test/unit_test.hpp>

#include "planner/parallel/data_parallel.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

constexpr LinkCost kLink{.latency_seconds = 1e-5, .seconds_per_byte = 1e-9};
const auto kExact = boost::test_tools::tolerance(1e-12);

}  // namespace

BOOST_AUTO_TEST_SUITE(collectives)

BOOST_AUTO_TEST_CASE(a_ring_sends_every_strip_twice) {
  BOOST_TEST(ringAllreduceSeconds(kLink, 4, 4000) == 6 * (1e-5 + 1e-6), kExact);
  BOOST_TEST(ringAllgatherSeconds(kLink, 4, 1000) == 3 * (1e-5 + 1e-6), kExact);
}

BOOST_AUTO_TEST_CASE(one_member_sends_nothing) {
  BOOST_TEST(ringAllreduceSeconds(kLink, 1, 4000) == 0);
  BOOST_TEST(ringAllgatherSeconds(kLink, 1, 4000) == 0);
  BOOST_TEST((LeaderAllreduce{.inside = kLink, .between = kLink}.seconds(4000)) == 0);
}

BOOST_AUTO_TEST_CASE(sharing_a_link_multiplies_what_a_byte_costs) {
  BOOST_TEST(kLink.sharedBy(3).latency_seconds == 1e-5);
  BOOST_TEST(kLink.sharedBy(3).seconds_per_byte == 3e-9, kExact);
}

BOOST_AUTO_TEST_CASE(leaders_add_up_inside_then_among_themselves_then_spread) {
  const LinkCost slow{.latency_seconds = 1e-4, .seconds_per_byte = 1e-8};
  const LeaderAllreduce leaders{.groups = 3, .members = 4, .inside = kLink, .between = slow};

  BOOST_TEST(leaders.seconds(12000) == 2 * 6 * (1e-5 + 3e-6) + 4 * (1e-4 + 4e-5), kExact);
}

BOOST_AUTO_TEST_CASE(groups_of_one_member_are_a_ring_of_leaders) {
  const LeaderAllreduce leaders{.groups = 4, .members = 1, .inside = kLink, .between = kLink};
  BOOST_TEST(leaders.seconds(4000) == ringAllreduceSeconds(kLink, 4, 4000), kExact);
}

// Four members a machine, links that are ten times slower between machines: the leaders' strips are
// larger, so a ring over all is faster for a large buffer, and slower where latency counts.
BOOST_AUTO_TEST_CASE(a_case_says_how_gradients_are_exchanged) {
  ParallelCase question = tableCase();
  question.machines.collectives = {{4, kLink}, {kMostMembers, {1e-4, 1e-8}}};
  question.machines.members_per_machine = 4;
  const double ring = gradientExchangeSeconds(question, 16, 850);
  question.choices.gradient_exchange = GradientExchange::kLeaders;
  const double leaders = gradientExchangeSeconds(question, 16, 850);

  BOOST_TEST(ring == 100 * 30 * (1e-4 + 3400e-8 / 16), kExact);
  BOOST_TEST(leaders == 100 * (2 * 6 * (1e-5 + 850e-9) + 6 * (1e-4 + 850e-8)), kExact);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
