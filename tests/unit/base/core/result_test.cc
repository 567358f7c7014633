#include "base/core/result.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::result_test {

BOOST_AUTO_TEST_SUITE(result)

BOOST_AUTO_TEST_CASE(holds_a_value_or_an_error) {
  const Result<int> good(3);
  const Result<int> bad(Error{ErrorCode::kNotFound, "no such thing"});

  BOOST_TEST(good.has_value());
  BOOST_TEST(*good == 3);
  BOOST_TEST(!bad.has_value());
  BOOST_TEST(bad.error().code == ErrorCode::kNotFound);
}

BOOST_AUTO_TEST_CASE(throws_with_the_error_when_a_missing_value_is_used) {
  const Result<int> bad(Error{ErrorCode::kInvalid, "the cause"});

  BOOST_CHECK_EXCEPTION(bad.value(), InvariantViolation, [](const InvariantViolation& violation) {
    return std::string(violation.what()).find("the cause") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(puts_context_before_the_message) {
  const Error error{ErrorCode::kInvalid, "bad magic"};

  BOOST_TEST(error.within("while reading a.bin").message == "while reading a.bin: bad magic");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::result_test
