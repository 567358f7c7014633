#include "operator/trainingjob/policy/attempts.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "base/process/termination_message.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::attempts_test {

BOOST_AUTO_TEST_SUITE(failure_after_progress)

BOOST_FIXTURE_TEST_CASE(is_not_counted_against_a_job_that_goes_on_though_nobody_can_poll_it,
                        JobFixture) {
  job.run_policy.backoff_limit = 3;
  start();
  for (int i = 1; i <= 5; ++i) {
    end(kWorker1, 139);  // says nothing
    if (i < 4) pass();   // the others end later
    end(kWorker0, 75, LastWords{"lost worker 1", 100 * i}.text());
    pass();
    BOOST_TEST(status().attempt == i);
    advance(seconds(400));
    restartFully();
  }
  BOOST_TEST(status().restarts == 5);
  BOOST_TEST(status().recovery.failures == 1);
  BOOST_TEST(status().recovery.highest_step == 500);
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(waits_for_what_the_others_say_before_it_is_the_last, JobFixture) {
  job.run_policy.backoff_limit = 1;
  start();
  end(kWorker1, 139);
  restartFully();
  end(kWorker1, 139);
  BOOST_CHECK(pass().again_after == Duration(seconds(10)));
  BOOST_TEST(status().attempt == 1);
  end(kWorker0, 75, LastWords{"lost worker 1", 100}.text());
  pass();
  BOOST_TEST(status().attempt == 2);
  BOOST_TEST(status().recovery.failures == 1);
}

BOOST_FIXTURE_TEST_CASE(ends_a_job_that_permits_none_at_once, JobFixture) {
  job.run_policy.backoff_limit = 0;
  start();
  end(kWorker1, 139);
  pass();
  BOOST_TEST(status().state == "Failed");
}

BOOST_FIXTURE_TEST_CASE(is_counted_where_the_step_that_a_member_names_is_not_a_step, JobFixture) {
  start();
  for (int i = 1; i <= 2; ++i) {
    const std::string step = std::string(20, '9');
    end(kWorker1, 139, "odd\n{\"schemaVersion\":1,\"step\":" + step + "}");
    pass();
    BOOST_TEST(status().recovery.failures == i);
    BOOST_TEST(status().recovery.highest_step == 0);
    advance(seconds(400));
    restartFully();
  }
}

BOOST_FIXTURE_TEST_CASE(shows_what_a_member_said_without_its_step, JobFixture) {
  start();
  end(kWorker1, 134, LastWords{"broken invariant", 7}.text());
  pass();
  BOOST_TEST(status().last_failure->message.ends_with(" 134: broken invariant"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::attempts_test
