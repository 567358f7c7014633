#include "base/keys/job_token.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::job_token_test {

BOOST_AUTO_TEST_SUITE(job_token)

BOOST_AUTO_TEST_CASE(is_64_hexadecimal_digits_and_another_each_time) {
  const auto token = makeJobToken();
  const auto other = makeJobToken();

  BOOST_TEST_REQUIRE((token && other));
  constexpr std::size_t kDigits = 64;
  BOOST_TEST(token->size() == kDigits);
  BOOST_TEST(token->find_first_not_of("0123456789abcdef") == std::string::npos);
  BOOST_TEST(*token != *other);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_token_test
