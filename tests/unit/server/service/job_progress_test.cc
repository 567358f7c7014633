#include "server/service/job_progress.h"

#include <cmath>
#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::server {
namespace {

const JobIdentity kJob{"uid", "3", /*batch_size=*/64};

const char* const kNone[] = {
    "",
    "[]",
    "{",
    R"({"event":"checkpoint","step":1})",
    R"({"event":"progress","totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":"1","totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":-1,"totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":3,"totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":1e300,"totalSteps":2,"epoch":1})",
    R"({"event":"progress","step":18446744073709551615,"totalSteps":2,"epoch":1})",
    R"({"event":7,"step":1,"totalSteps":2,"epoch":1})",
};

}  // namespace

BOOST_AUTO_TEST_SUITE(job_progress)

BOOST_AUTO_TEST_CASE(reads_what_a_worker_reports) {
  const auto read = progressFromLine(
      R"({"event":"interim","step":5,"totalSteps":9,"epoch":2,"loss":0.5,"samplesPerSecond":10})");

  BOOST_REQUIRE(read);
  BOOST_TEST(read->step == 5);
  BOOST_TEST(read->total_steps == 9);
  BOOST_TEST(read->epoch == 2);
  BOOST_TEST(read->loss == 0.5);
  BOOST_TEST(read->samples_per_second == 10);
  BOOST_TEST(read->is_interim);
}

BOOST_DATA_TEST_CASE(takes_nothing_from_other_or_broken_lines, kNone) {
  BOOST_TEST(!progressFromLine(sample));
}

BOOST_AUTO_TEST_CASE(has_nothing_to_tell_before_the_first_report) {
  BOOST_TEST(progressAnswer(kJob, std::nullopt).status == 503);
}

BOOST_AUTO_TEST_CASE(tells_numbers_as_numbers_and_decimals_as_text) {
  const auto answer = progressAnswer(kJob, JobProgress{199, 300, 2, 0.25, 100, false});

  BOOST_TEST(answer.status == 200);
  BOOST_TEST(answer.body ==
             R"({"jobUid":"uid","attempt":3,"step":199,"totalSteps":300,"percentage":66,)"
             R"("epoch":2,"loss":"0.25","samplesPerSecond":"100.0",)"
             R"("estimatedRemainingSeconds":65})");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_is_not_known_and_what_decimals_cannot_hold) {
  const auto unknown = progressAnswer(kJob, JobProgress{1, 2, 1, std::nan(""), 0, false});
  const auto huge = progressAnswer(kJob, JobProgress{1, 2, 1, 1e300, 1e-300, false});

  BOOST_TEST(unknown.body.find(R"("loss":"")") != std::string::npos);
  BOOST_TEST(unknown.body.find("Remaining") == std::string::npos);
  BOOST_TEST(huge.body.find(R"("loss":"","samplesPerSecond":"0")") != std::string::npos);
  BOOST_TEST(huge.body.find("Remaining") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_attempt_that_is_no_number_stays_text) {
  const auto answer = progressAnswer({"", "a\xff", 1}, JobProgress{0, 0, 0, 0, 1, false});

  BOOST_TEST(answer.body.find(R"("attempt":"a)") != std::string::npos);
  BOOST_TEST(answer.body.find(R"("percentage":100)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server
