#include "base/process/termination_message.h"

#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::termination_message_test {
namespace {

std::string terminationOf(std::string_view text) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(writeTermination(folder / "termination", text));
  return readTextFile(folder / "termination", /*limit=*/65536).value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(termination_message)

BOOST_AUTO_TEST_CASE(cuts_a_long_termination_message) {
  BOOST_TEST(terminationOf(std::string(1024, 'x')).size() == 1024U);
  BOOST_TEST(terminationOf(std::string(1025, 'x')).size() == 1024U);
  BOOST_TEST(terminationOf(std::string(1023, 'x') + "\xc3\xa4").size() == 1023U);
}

BOOST_AUTO_TEST_CASE(replaces_an_earlier_termination_message) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(writeTermination(folder / "termination", "a long message"));

  BOOST_REQUIRE(writeTermination(folder / "termination", "short"));

  BOOST_TEST(readTextFile(folder / "termination", 100).value() == "short");
}

BOOST_AUTO_TEST_CASE(says_when_the_termination_file_cannot_be_written) {
  BOOST_TEST(!writeTermination("/proc/nowhere/termination", "text"));
  BOOST_TEST(writeTermination("", "text").has_value());
}

BOOST_AUTO_TEST_CASE(says_the_step_in_a_line_of_its_own) {
  const std::string text = LastWords{"lost server 0", 1200}.text();

  BOOST_TEST(text == "lost server 0\n{\"schemaVersion\":1,\"step\":1200}");
  BOOST_TEST(LastWords::parse(text).reason == "lost server 0");
  BOOST_TEST(LastWords::parse(text).step.value() == 1200);
  BOOST_TEST((LastWords{"lost server 0"}.text() == "lost server 0"));
}

BOOST_AUTO_TEST_CASE(keeps_the_step_of_a_reason_that_is_too_long) {
  const std::string text = LastWords{std::string(5000, 'x'), Step{1} << 53}.text();

  BOOST_TEST(text.size() == 1024U);
  BOOST_TEST(LastWords::parse(text).step.value() == Step{1} << 53);
}

BOOST_AUTO_TEST_CASE(takes_any_other_last_line_for_a_part_of_the_reason) {
  for (const std::string line :
       {R"({"schemaVersion":1,"step":-1})", R"({"schemaVersion":1,"step":9007199254740993})",
        R"({"schemaVersion":1,"step":99999999999999999999})", R"({"schemaVersion":1,"step":})",
        R"({"schemaVersion":1,"step": 7})", R"({"schemaVersion":2,"step":7})",
        R"({"schemaVersion":1,"step":7} )", R"({"schemaVersion":1,"step":7,"a":1})", ""}) {
    const LastWords read = LastWords::parse("a reason\n" + line);
    BOOST_TEST(!read.step, line);
    BOOST_TEST(read.reason == "a reason\n" + line);
  }
  BOOST_TEST(!LastWords::parse(R"({"schemaVersion":1,"step":7})").step);
  BOOST_TEST(LastWords::parse("").reason == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::termination_message_test
