#include "job/profile/disturbance.h"

#include <tuple>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac {
namespace {

JobProfile profileWith(double forward_spread) {
  BatchProfile batch;
  batch.samples = 16;
  batch.threads = 2;
  batch.forward = {1, 1 - forward_spread, 1 + forward_spread};
  batch.backward = {2, 2, 2};
  batch.update = {1, 1, 1};
  JobProfile profile;
  profile.batches = {batch};
  return profile;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(disturbance)

BOOST_AUTO_TEST_CASE(a_time_that_spreads_is_named_with_its_row) {
  test::checkGolden("job/profile/disturbance.txt", disturbanceText(profileWith(0.47)) + "\n");
  BOOST_TEST(spreadOf(profileWith(0.47).batches[0]) == 0.47 / 4,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(times_that_can_be_believed_are_not_mentioned) {
  BOOST_TEST(disturbanceText(profileWith(0.14)).empty());
  BOOST_TEST(spreadOf(Timing{}) == 0);
  JobProfile profile = profileWith(0);
  profile.batches[0].update = {0.01, 0.005, 0.015};  // of a step of 3 s
  BOOST_TEST(disturbanceText(profile).empty());
}

BOOST_AUTO_TEST_CASE(exchanges_are_rows_too_and_many_rows_are_counted) {
  JobProfile profile = profileWith(0);
  constexpr int kMany = 8;
  for (int i = 0; i < kMany; ++i)
    profile.links.push_back({.path = "tcp", .bytes = 4096, .seconds = {1, 0.8, 1.2}});
  LinkMeasurement& first = profile.links.front();
  std::tie(first.method, first.workers, first.servers) =
      std::tuple(ExchangeMethod::kDecentralized, 2, 0);
  test::checkGolden("job/profile/disturbed_exchanges.txt", disturbanceText(profile) + "\n");
}

BOOST_AUTO_TEST_CASE(threads_that_bring_nothing_are_told) {
  JobProfile profile;
  BatchProfile batch;
  batch.samples = 64;
  batch.forward = batch.backward = {1, 1, 1};
  profile.batches = {batch, batch};
  profile.batches.back().threads = 2;
  test::checkGolden("job/profile/idle_threads.txt", idleThreadsText(profile) + "\n");
  profile.batches.back().forward.median = profile.batches.back().backward.median = 0.6;
  BOOST_TEST(idleThreadsText(profile) == "");
  profile.batches.pop_back();
  BOOST_TEST(idleThreadsText(profile) == "");
  BOOST_TEST(idleThreadsText({}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
