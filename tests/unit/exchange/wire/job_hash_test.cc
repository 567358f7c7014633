#include "exchange/wire/job_hash.h"

#include <boost/test/unit_test.hpp>

namespace sumac::wire::job_hash_test {

BOOST_AUTO_TEST_SUITE(job_hash)

BOOST_AUTO_TEST_CASE(is_the_beginning_of_the_sha256_of_name_and_attempt) {
  BOOST_TEST(jobHash("mnist", "0") == 0x3ca1686ba5feb031ULL);
}

BOOST_AUTO_TEST_CASE(differs_between_attempts_and_names) {
  BOOST_TEST(jobHash("mnist", "0") != jobHash("mnist", "1"));
  BOOST_TEST(jobHash("mnist", "0") != jobHash("mnist2", "0"));
}

BOOST_AUTO_TEST_CASE(knows_where_the_name_ends) {
  BOOST_TEST(jobHash("mnist", "10") != jobHash("mnist1", "0"));
}

BOOST_AUTO_TEST_CASE(differs_for_who_does_not_know_the_token) {
  BOOST_TEST(jobHash("mnist", "0", "a") != jobHash("mnist", "0", "b"));
  BOOST_TEST(jobHash("mnist", "0", "a") != jobHash("mnist", "0"));
  BOOST_TEST(jobHash("mnist", "0", "a") != jobHash("mnist", "0a"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::wire::job_hash_test
