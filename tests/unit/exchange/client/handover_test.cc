#include "exchange/client/handover.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::worker::handover_test {

BOOST_AUTO_TEST_SUITE(handover, *boost::unit_test::timeout(60))

// A trainer that is told the end of the job may be gone before the reactor takes what it began.
BOOST_AUTO_TEST_CASE(a_step_that_was_begun_needs_the_trainers_list_no_more) {
  const std::array<float, 3> values = {1, 2, 3};
  std::vector<Contribution> list = {{{0, 1}, values, std::make_shared<int>()}};
  Handover handover(/*most_ranges=*/1);
  handover.begin(1, list);
  std::fill(list.begin(), list.end(), Contribution{});

  Handover::Taken taken;
  handover.take(taken);

  BOOST_TEST((taken.outbox.beginning == std::optional<Step>(1)));
  BOOST_TEST_REQUIRE(taken.begun.size() == 1U);
  BOOST_TEST((taken.begun[0].node == TreeNode{0, 1}));
  BOOST_TEST(taken.begun[0].values.data() == values.data());
  BOOST_TEST(taken.begun[0].owner.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_at_its_deadline_and_may_be_made_again) {
  const SystemClock clock;
  Handover handover(/*most_ranges=*/1);
  const auto ended = [](const Inbox& inbox) { return inbox.end(); };
  const TimePoint soon = clock.now() + std::chrono::milliseconds(1);

  BOOST_TEST(!handover.await(ended, /*until=*/TimePoint{}).has_value());
  BOOST_TEST(!handover.await(ended, soon).has_value());
  BOOST_TEST((clock.now() >= soon));
  BOOST_TEST(handover.awaitRanges(1, 0, 1, soon).ranges == 0U);

  const std::array<float, 1> sum = {1};
  handover.onPartialSum(1, {0, 1}, sum);
  BOOST_TEST(handover.awaitRanges(1, 0, 1, soon).ranges == 1U);  // what is there is had after it
  handover.onEnd(ExitCode::kLostPeers, "lost worker 1");
  BOOST_TEST_REQUIRE(handover.await(ended, soon).has_value());
  BOOST_TEST(handover.await(ended, kNever)->reason == "lost worker 1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::handover_test
