#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/process/member_flags.h"
#include "tests/support/temporary_folder.h"

namespace sumac::job_token_test {
namespace {

struct Fixture {
  ~Fixture() {
    ::unsetenv(member_flags::kJobTokenVariable);
    ::unsetenv(member_flags::kJobTokenFileVariable);
  }

  /// Names a file with this content as the one of the token.
  void giveFile(const std::string& content) {
    const std::string file = folder.path() / "token";
    std::ofstream(file) << content;
    ::setenv(member_flags::kJobTokenFileVariable, file.c_str(), 1);
  }

  TemporaryFolder folder;
};

auto says(const std::string& part) {
  return [part](const std::runtime_error& error) {
    return std::string(error.what()).find(part) != std::string::npos;
  };
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(job_token, Fixture)

BOOST_AUTO_TEST_CASE(there_is_none_unless_one_is_given) {
  BOOST_TEST(member_flags::jobToken().empty());
  ::setenv(member_flags::kJobTokenVariable, "secret", 1);
  BOOST_TEST(member_flags::jobToken() == "secret");
}

BOOST_AUTO_TEST_CASE(a_file_wins_over_the_variable_and_may_end_with_a_newline) {
  ::setenv(member_flags::kJobTokenVariable, "other", 1);
  giveFile("secret");
  BOOST_TEST(member_flags::jobToken() == "secret");
  giveFile("secret\r\n");
  BOOST_TEST(member_flags::jobToken() == "secret");
}

BOOST_AUTO_TEST_CASE(a_file_without_a_token_is_never_taken_for_no_token) {
  giveFile("\n");
  BOOST_CHECK_EXCEPTION(member_flags::jobToken(), std::runtime_error, says("is empty"));
  constexpr std::size_t kTooLong = 4097;
  giveFile(std::string(kTooLong, 'x'));
  BOOST_CHECK_EXCEPTION(member_flags::jobToken(), std::runtime_error, says("cannot read"));
  ::setenv(member_flags::kJobTokenFileVariable, "/no/such/file", 1);
  BOOST_CHECK_EXCEPTION(member_flags::jobToken(), std::runtime_error,
                        says("/no/such/file (SUMAC_JOB_TOKEN_FILE)"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_token_test
