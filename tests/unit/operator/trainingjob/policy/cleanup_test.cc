#include "operator/trainingjob/policy/cleanup.h"

#include <ostream>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::cleanup_test {
namespace {

using api::CleanPodPolicy;

struct Case {
  const char* name;
  CleanPodPolicy policy;
  std::vector<std::string> deleted;
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

// worker 0 ended with the result, worker 1 with an error, server 0 has a sidecar that goes on.
const Case kCases[] = {
    {"Running", CleanPodPolicy::kRunning, {"lenet5-server-0"}},
    {"All", CleanPodPolicy::kAll, {"lenet5-server-0", "lenet5-worker-0", "lenet5-worker-1"}},
    {"None", CleanPodPolicy::kNone, {}},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(clean_pods)

BOOST_DATA_TEST_CASE(deletes_what_the_policy_says, boost::unit_test::data::make(kCases), each) {
  JobFixture fixture;
  fixture.job.run_policy.clean_pods = each.policy;
  fixture.start();
  fixture.end(kWorker0, 0, kResult);
  fixture.end(kServer0, 0, kResult);
  fixture.pod(kServer0).phase = api::PodPhase::kRunning;
  fixture.end(kWorker1, 1);
  fixture.settle();
  BOOST_TEST(fixture.deleted.empty());

  fixture.advance(kSettling);
  fixture.settle();

  std::sort(fixture.deleted.begin(), fixture.deleted.end());
  BOOST_TEST(fixture.deleted == each.deleted, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(begins_when_members_had_time_to_end_by_themselves, JobFixture) {
  start();
  end(kWorker0, 0, kResult);
  pass();
  const Decision decision = pass();
  BOOST_TEST(decision.actions.empty());
  BOOST_CHECK(decision.again_after == Duration(kSettling));
  end(kWorker1, 0, kResult);
  end(kServer0, 0, kResult);
  advance(kSettling);
  settle();
  BOOST_TEST(deleted.empty());  // and so all logs are kept
}

BOOST_FIXTURE_TEST_CASE(begins_at_once_after_a_deadline_and_goes_in_waves, JobFixture) {
  job.run_policy.active_deadline_seconds = 60;
  start();
  advance(seconds(60));
  settle();
  const std::vector<std::string> expected = {"lenet5-worker-0", "lenet5-worker-1"};
  BOOST_TEST(deleted == expected, boost::test_tools::per_element());
  letGo();
  settle();
  BOOST_TEST(deleted.back() == "lenet5-server-0");
}

BOOST_FIXTURE_TEST_CASE(does_not_need_the_record_of_the_job, JobFixture) {
  start();
  end(kWorker0, 0, kResult);
  settle();
  advance(kSettling);
  Observed seen = see();
  seen.record.reset();
  const Decision result = decide(seen, now);
  BOOST_TEST(result.actions.size() == 1);  // worker 1; server 0 is slot 0
  BOOST_TEST(!result.status.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(time_to_live)

BOOST_FIXTURE_TEST_CASE(deletes_the_job_when_it_is_over, JobFixture) {
  job.run_policy.ttl_seconds_after_finished = 60;
  job.run_policy.clean_pods = CleanPodPolicy::kNone;
  start();
  end(kWorker0, 0, kResult);
  pass();
  BOOST_CHECK(look().again_after == Duration(seconds(60)));
  advance(seconds(59));
  BOOST_TEST(look().actions.empty());
  advance(seconds(1));
  const Decision decision = look();
  BOOST_REQUIRE(decision.actions.size() == 1);
  BOOST_CHECK(decision.actions.front() == Action(DeleteJob{}));
}

BOOST_FIXTURE_TEST_CASE(of_0_deletes_the_job_once_its_end_is_written, JobFixture) {
  job.run_policy.ttl_seconds_after_finished = 0;
  start();
  end(kWorker0, 0, kResult);
  const Decision first = pass();
  BOOST_TEST(first.actions.empty());
  const Decision second = look();
  BOOST_REQUIRE(second.actions.size() == 1);
  BOOST_CHECK(second.actions.front() == Action(DeleteJob{}));
}

BOOST_FIXTURE_TEST_CASE(without_one_the_job_stays, JobFixture) {
  job.run_policy.clean_pods = CleanPodPolicy::kNone;
  start();
  end(kWorker0, 0, kResult);
  settle();
  advance(seconds(1'000'000'000));
  settle();
  BOOST_TEST(look().actions.empty());
  BOOST_TEST(!look().again_after.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::cleanup_test
