#include "job/profile/disturbance.h"

#include <boost/test/unit_test.hpp>

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
  const std::string text = disturbanceText(profileWith(0.47));
  BOOST_TEST(text.find("16 samples by 2 threads (forward ± 47 %): measured while others used the "
                       "cores; measure again") == 0U,
             text);
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
  const std::string text = disturbanceText(profile);
  BOOST_TEST(text.find("4.0 KiB of 1 worker (exchange ± 20 %)") == 0U, text);
  BOOST_TEST(text.find(" and 2 more: ") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(threads_that_bring_nothing_are_told) {
  JobProfile profile;
  BatchProfile batch;
  batch.samples = 64;
  batch.forward = batch.backward = {1, 1, 1};
  profile.batches = {batch, batch};
  profile.batches.back().threads = 2;
  BOOST_TEST(idleThreadsText(profile).starts_with(
      "2 threads take 100 % of the time of 1 thread for 64 samples: "));
  profile.batches.back().forward.median = profile.batches.back().backward.median = 0.6;
  BOOST_TEST(idleThreadsText(profile) == "");
  profile.batches.pop_back();
  BOOST_TEST(idleThreadsText(profile) == "");
  BOOST_TEST(idleThreadsText({}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
