#include "kube/client/token_file.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/kube/client/kube_environment.h"

namespace sumac::kube::token_file_test {

namespace {

struct Fixture {
  TestEnvironment machine;
  std::filesystem::path path = machine.write("token", "  first \n");
  TokenFile file{path, machine.clock, Log::discarding()};

  std::string token() {
    const auto token = file.token();
    return token ? *token : "error: " + token.error().message;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(token_file, Fixture)

BOOST_AUTO_TEST_CASE(trims_the_token) {
  BOOST_TEST(token() == "first");
}

BOOST_AUTO_TEST_CASE(reads_the_file_again_before_a_minute_is_over_and_not_earlier) {
  BOOST_TEST(token() == "first");
  machine.write("token", "second");

  machine.clock->advance(std::chrono::seconds(49));
  BOOST_TEST(token() == "first");

  machine.clock->advance(std::chrono::seconds(10));
  BOOST_TEST(token() == "second");
}

BOOST_AUTO_TEST_CASE(reads_the_file_at_once_after_it_was_refused) {
  BOOST_TEST(token() == "first");
  machine.write("token", "second");

  file.forget();

  BOOST_TEST(token() == "second");
}

BOOST_AUTO_TEST_CASE(keeps_the_old_token_while_the_file_is_empty_or_gone) {
  BOOST_TEST(token() == "first");

  machine.write("token", " \n");
  machine.clock->advance(std::chrono::minutes(2));
  BOOST_TEST(token() == "first");

  std::filesystem::remove(path);
  file.forget();
  BOOST_TEST(token() == "first");

  machine.write("token", "second");
  machine.clock->advance(std::chrono::minutes(2));
  BOOST_TEST(token() == "second");
}

BOOST_AUTO_TEST_CASE(fails_while_there_never_was_a_token_and_then_reads_at_once) {
  std::filesystem::remove(path);
  BOOST_TEST(token().find(path.string()) != std::string::npos);

  machine.write("token", "late");

  BOOST_TEST(token() == "late");
}

BOOST_AUTO_TEST_CASE(refuses_what_no_header_can_carry) {
  test::Transcript said;
  for (const char* const text : {"one\r\nX-Other: two", "\n"}) {
    machine.write("token", text);
    said.add("a token", test::replaced(token(), machine.folder.path().string(), "FOLDER"));
  }
  test::checkGolden("kube/client/token_file.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::token_file_test
