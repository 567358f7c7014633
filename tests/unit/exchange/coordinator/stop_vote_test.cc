#include "exchange/coordinator/stop_vote.h"

#include <boost/test/unit_test.hpp>

namespace sumac::stop_vote_test {

namespace {

constexpr Slot kFirst{Role::kWorker, 0};
constexpr Slot kSecond{Role::kWorker, 1};

}  // namespace

BOOST_AUTO_TEST_SUITE(stop_vote)

BOOST_AUTO_TEST_CASE(commits_the_highest_step_begun_once_all_have_answered) {
  StopVote vote(2);
  BOOST_TEST(!vote.prepared(kFirst, 5).has_value());
  BOOST_TEST(!vote.prepared(kFirst, 5).has_value());
  BOOST_TEST((vote.prepared(kSecond, 4) == std::optional<Step>(5)));
  BOOST_TEST(!vote.prepared(kSecond, 9).has_value());
  BOOST_TEST((vote.committed() == std::optional<Step>(5)));
}

BOOST_AUTO_TEST_CASE(is_over_when_each_worker_is_through) {
  StopVote vote(2);
  vote.stopped(kFirst);
  vote.stopped(kFirst);
  BOOST_TEST(!vote.allStopped());
  vote.stopped(kSecond);
  BOOST_TEST(vote.allStopped());
  BOOST_TEST(!vote.allFinished());
}

BOOST_AUTO_TEST_CASE(does_not_wait_for_a_worker_that_was_lost) {
  StopVote vote(2);
  vote.lost(kFirst);
  BOOST_TEST(!vote.allStopped());
  vote.finished(kSecond);
  BOOST_TEST(vote.allStopped());
  BOOST_TEST(!vote.allFinished());
}

BOOST_AUTO_TEST_CASE(commits_without_the_vote_of_a_worker_that_was_lost) {
  StopVote vote(2);
  vote.lost(kFirst);
  BOOST_TEST((vote.prepared(kSecond, 4) == std::optional<Step>(4)));
}

BOOST_AUTO_TEST_CASE(a_job_that_all_finished_was_not_stopped) {
  StopVote vote(2);
  vote.finished(kFirst);
  vote.finished(kSecond);
  BOOST_TEST(vote.allFinished());
  BOOST_TEST(!vote.allStopped());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::stop_vote_test
