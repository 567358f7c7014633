#include "common/process/termination_message.h"

#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "common/base/file.h"
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::termination_message_test
