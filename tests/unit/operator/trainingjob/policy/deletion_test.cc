#include "operator/trainingjob/policy/deletion.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::deletion_test {

BOOST_AUTO_TEST_SUITE(deletion)

BOOST_FIXTURE_TEST_CASE(waits_with_slot_0_until_no_other_process_lives, JobFixture) {
  start();
  job.suspend = true;
  settle();
  BOOST_TEST(deleted.size() == 2);
  end(kWorker0, 143);
  settle();
  BOOST_TEST(deleted.size() == 2);
  end(kWorker1, 143);
  settle();
  BOOST_TEST(deleted.back() == "lenet5-server-0");
}

BOOST_FIXTURE_TEST_CASE(takes_worker_0_for_slot_0_where_there_are_no_servers, JobFixture) {
  record.servers = 0;
  start();
  BOOST_TEST(status().coordinator == "lenet5-worker-0");
  job.suspend = true;
  settle();
  const std::vector<std::string> expected = {"lenet5-worker-1"};
  BOOST_TEST(deleted == expected, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(does_not_wait_with_a_slot_0_that_has_ended, JobFixture) {
  start();
  end(kServer0, 139);
  settle();
  BOOST_TEST(deleted.size() == 3);
}

BOOST_FIXTURE_TEST_CASE(looks_again_in_a_day_where_a_grace_lasts_for_centuries, JobFixture) {
  start();
  job.suspend = true;
  settle();
  pod(kWorker0).meta.deleted = now + std::chrono::years(7000);
  pod(kWorker1).meta.deleted = now + std::chrono::years(7000);
  advance(seconds(10));  // until then it also waits to write the number of workers
  settle();
  BOOST_CHECK(look().again_after == Duration(std::chrono::hours(24)));
}

BOOST_FIXTURE_TEST_CASE(is_asked_for_once, JobFixture) {
  start();
  job.suspend = true;
  settle();
  // The watch does not show it yet: only our own memory does.
  for (api::Pod& pod : pods) {
    if (pod.meta.deleted) observed.deleting_uids.push_back(pod.meta.uid);
    pod.meta.deleted.reset();
  }
  BOOST_TEST(look().actions.empty());
}

BOOST_FIXTURE_TEST_CASE(of_a_lost_node_is_forced_when_it_is_30_s_overdue, JobFixture) {
  start();
  job.suspend = true;
  settle();
  remove(kWorker0);
  deleted.clear();
  advance(seconds(30) + kOverdue - seconds(1));
  const Decision early = pass();
  BOOST_TEST(deleted.empty());
  BOOST_CHECK(early.again_after == Duration(seconds(1)));

  advance(seconds(1));
  pass();

  BOOST_REQUIRE(!deleted.empty());
  BOOST_TEST(deleted.front() == "!lenet5-worker-1");
  BOOST_TEST(hasEvent("DeletionForced"));
}

BOOST_FIXTURE_TEST_CASE(by_force_is_said_when_it_is_sent_and_not_while_it_is_held_back,
                        JobFixture) {
  start();
  job.suspend = true;
  settle();
  observed.held_uids = {pod(kWorker0).meta.uid, pod(kWorker1).meta.uid};
  advance(seconds(30) + kOverdue);
  const Decision held = look();
  BOOST_TEST(held.actions.size() == 2);  // for when the hold ends
  BOOST_TEST(held.events.empty());

  observed.held_uids.clear();
  BOOST_TEST(look().events.size() == 2);
  // The watch does not show yet that it was forced.
  observed.forced_uids = {pod(kWorker0).meta.uid, pod(kWorker1).meta.uid};
  BOOST_TEST(look().events.empty());
  BOOST_TEST(look().actions.empty());
}

BOOST_FIXTURE_TEST_CASE(is_not_forced_twice_nor_when_the_process_has_ended, JobFixture) {
  start();
  job.suspend = true;
  settle();
  end(kWorker0, 143);
  pod(kWorker1).grace_seconds = 0;
  deleted.clear();
  advance(seconds(3600));
  BOOST_TEST(look().actions.empty());
}

BOOST_FIXTURE_TEST_CASE(of_a_pod_that_ended_and_that_a_finalizer_holds_is_reported_in_time,
                        JobFixture) {
  start();
  job.suspend = true;
  settle();
  remove(kWorker1);
  end(kWorker0, 143);
  settle();
  remove(kServer0);
  advance(seconds(10));  // until then it also waits to write the number of workers
  settle();
  const Duration wait = *pod(kWorker0).meta.deleted + 2 * kOverdue - now;
  BOOST_CHECK(look().again_after == wait);

  advance(std::chrono::duration_cast<seconds>(wait));
  settle();

  BOOST_TEST(condition("Running").reason == "DeletionOverdue");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::deletion_test
