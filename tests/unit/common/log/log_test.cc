#include "common/log/log.h"

#include <regex>
#include <string>

#include <boost/test/unit_test.hpp>

#include "common/base/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac {
namespace {

struct Fixture {
  TemporaryFolder folder;
  Log log = Log::toFile(folder / "log", LogLevel::kInfo).value();

  /// What was written, without the times.
  std::string written() const {
    const std::string text = readTextFile(folder / "log", /*limit=*/65536).value();
    const std::regex time(R"((^|\n)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z )");
    return std::regex_replace(text, time, "$1");
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(log)

BOOST_FIXTURE_TEST_CASE(writes_time_level_message_and_fields, Fixture) {
  log.info("gradient applied", {{"step", 420}, {"ms", 2.5}, {"peer", "worker"}, {"last", true}});

  BOOST_TEST(written() == "info \"gradient applied\" step=420 ms=2.5 peer=worker last=true\n");
}

BOOST_FIXTURE_TEST_CASE(writes_bound_fields_before_the_others, Fixture) {
  const Log bound = log.with({"role", "server"}).with({"rank", 1});

  bound.warn("slow", {{"ms", 3}});
  log.error("gone");

  BOOST_TEST(written() == "warn \"slow\" role=server rank=1 ms=3\nerror \"gone\"\n");
}

BOOST_FIXTURE_TEST_CASE(leaves_out_what_is_below_its_level, Fixture) {
  log.debug("a message came");

  BOOST_TEST(written().empty());
}

BOOST_FIXTURE_TEST_CASE(keeps_a_line_a_line_whatever_a_value_holds, Fixture) {
  log.info("refused", {{"a", "two words"},
                       {"b", ""},
                       {"c", "x\ny\tz"},
                       {"d", "say \"hi\" \\ bye"},
                       {"e", "k=v"},
                       {"f", "\x1b[31m\x7f"},
                       {"g", "\xc3\xa4"}});

  BOOST_TEST(written() ==
             "info \"refused\" a=\"two words\" b=\"\" c=\"x\\ny\\tz\" "
             "d=\"say \\\"hi\\\" \\\\ bye\" e=\"k=v\" f=\"\\x1b[31m\\x7f\" g=\"\xc3\xa4\"\n");
}

BOOST_FIXTURE_TEST_CASE(takes_braces_for_text, Fixture) {
  log.info("{} {0}", {{"a", "{}"}});

  BOOST_TEST(written() == "info \"{} {0}\" a={}\n");
}

BOOST_AUTO_TEST_CASE(says_which_levels_there_are) {
  BOOST_TEST(logLevelFromName("warn").value() == LogLevel::kWarn);
  const auto unknown = logLevelFromName("loud");
  BOOST_REQUIRE(!unknown);
  BOOST_TEST(unknown.error().message.find("debug, info, warn and error") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_when_the_file_cannot_be_opened) {
  const auto log = Log::toFile("/proc/nowhere/log", LogLevel::kInfo);

  BOOST_REQUIRE(!log);
  BOOST_TEST(log.error().code == ErrorCode::kUnavailable);
}

BOOST_AUTO_TEST_CASE(can_be_silent) {
  Log::discarding().with({"a", 1}).error("nobody hears this");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac
