#include "exchange/status/job_progress.h"

#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/progress_of.h"

namespace sumac::job_progress_test {

BOOST_AUTO_TEST_SUITE(job_progress)

BOOST_AUTO_TEST_CASE(has_nothing_to_tell_before_the_first_report) {
  BOOST_TEST(progressAnswer({"uid", "3"}, std::nullopt).status == 503);
}

BOOST_AUTO_TEST_CASE(says_of_which_job_and_attempt_it_is) {
  Progress progress = progressOf(199, 300, 2, 0.25);

  const auto answer = progressAnswer({"uid", "3"}, progress);

  BOOST_TEST(answer.status == 200);
  BOOST_TEST(answer.body ==
             R"({"jobUid":"uid","attempt":3,"step":199,"totalSteps":300,"percentage":66,)"
             R"("epoch":2,"loss":"0.25"})");
}

BOOST_AUTO_TEST_CASE(says_where_the_time_inside_steps_went) {
  Progress progress;
  progress.gradient_seconds = 1.5;
  progress.sum_wait_seconds = 0.25;

  const auto answer = progressAnswer({"uid", "3"}, progress);

  BOOST_TEST(
      answer.body.find(R"("gradientSeconds":"1.5","sumWaitSeconds":"0.25")") != std::string::npos,
      answer.body);
}

BOOST_AUTO_TEST_CASE(names_a_worker_that_slows_the_others) {
  Progress progress;
  progress.straggler = Straggler{1, 2.5};

  const auto answer = progressAnswer({"uid", "3"}, progress);

  BOOST_TEST(answer.body.find(R"("straggler":{"worker":1,"slowdown":"2.5"})") != std::string::npos,
             answer.body);
  BOOST_TEST(
      (progressFromJson(nlohmann::json::parse(answer.body))->straggler == progress.straggler));
}

BOOST_AUTO_TEST_CASE(keeps_an_attempt_that_is_not_a_number_as_text) {
  const auto answer = progressAnswer({"", "a\xff"}, Progress());

  BOOST_TEST(answer.body.find(R"("attempt":"a)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_progress_test
