#include "base/log/log.h"

#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/log/line_format.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::log_test {
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
  const Log bound = log.with({"role", "server"}).with({"index", 1});

  bound.warn("slow", {{"ms", 3}});
  log.error("gone");

  BOOST_TEST(written() == "warn \"slow\" role=server index=1 ms=3\nerror \"gone\"\n");
}

BOOST_AUTO_TEST_CASE(hands_its_events_to_a_function) {
  std::vector<std::pair<LogLevel, std::string>> events;
  const auto receive = [&events](LogLevel level, std::string_view line) {
    events.emplace_back(level, line);
  };
  const Log log = Log::toFunction(receive, LogLevel::kInfo).with({"role", "worker"});

  log.info("gradient applied", {{"step", 420}, {"peer", "two words"}});
  log.debug("a message came");
  log.error("gone");

  BOOST_REQUIRE(events.size() == 2);
  BOOST_CHECK(events[0].first == LogLevel::kInfo);
  BOOST_TEST(events[0].second == "gradient applied role=worker step=420 peer=\"two words\"");
  BOOST_CHECK(events[1].first == LogLevel::kError);
  BOOST_TEST(events[1].second == "gone role=worker");
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

BOOST_AUTO_TEST_CASE(says_which_levels_and_formats_there_are) {
  BOOST_TEST(logLevelFromName("warn").value() == LogLevel::kWarn);
  BOOST_TEST(logFormatFromName("json").value() == LogFormat::kJson);
  const auto level = logLevelFromName("loud");
  const auto format = logFormatFromName("xml");
  BOOST_REQUIRE((!level && !format));
  test::checkGolden("base/log/names.txt",
                    level.error().message + "\n" + format.error().message + "\n");
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

namespace {

struct JsonFixture {
  TemporaryFolder folder;
  Log log = Log::toFile(folder / "log", LogLevel::kDebug, LogFormat::kJson).value();

  std::vector<std::string> lines() const {
    std::istringstream text(readTextFile(folder / "log", /*limit=*/65536).value());
    std::vector<std::string> found;
    for (std::string line; std::getline(text, line);)
      found.push_back(line);
    return found;
  }
  /// The only line; throws where it is not JSON.
  nlohmann::json line() const {
    BOOST_REQUIRE_EQUAL(lines().size(), 1U);
    return nlohmann::json::parse(lines().front());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(json_log, JsonFixture)

BOOST_AUTO_TEST_CASE(writes_time_severity_message_and_typed_fields) {
  log.with({"role", "server"})
      .info("gradient applied", {{"step", 420}, {"ms", 2.5}, {"last", true}});

  auto fields = line();
  const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
  BOOST_TEST(std::regex_match(fields["time"].get<std::string>(), time));
  fields.erase("time");
  BOOST_TEST(fields.dump() == R"({"last":true,"message":"gradient applied","ms":2.5,)"
                              R"("role":"server","severity":"INFO","step":420})");
}

BOOST_AUTO_TEST_CASE(has_the_severities_that_collectors_know) {
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");

  std::string severities;
  for (const std::string& one : lines())
    severities += nlohmann::json::parse(one)["severity"].get<std::string>() + " ";
  BOOST_TEST(severities == "DEBUG INFO WARNING ERROR ");
}

BOOST_AUTO_TEST_CASE(stays_one_line_of_json_whatever_a_value_holds) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte)
    every_byte += static_cast<char>(byte);

  log.with({"bound", every_byte})
      .warn(every_byte, {{"value", every_byte},
                         {"quotes", R"(say "hi" \ bye)"},
                         {"cut", "\xe2\x82"},  // a euro sign without its end
                         {"surrogate", "\xed\xa0\x80"},
                         {"overlong", "\xc0\xaf"},
                         {"euro", "\xe2\x82\xac"}});

  const auto fields = line();
  BOOST_TEST(fields["quotes"].get<std::string>() == R"(say "hi" \ bye)");
  BOOST_TEST(fields["cut"].get<std::string>() == "\xef\xbf\xbd");
  BOOST_TEST(fields["euro"].get<std::string>() == "\xe2\x82\xac");
  BOOST_TEST(fields["value"].get<std::string>().starts_with(every_byte.substr(0, 128)));
}

BOOST_AUTO_TEST_CASE(writes_numbers_that_json_lacks_as_text) {
  log.info("loss", {{"a", std::nan("")}, {"b", std::numeric_limits<double>::infinity()}});

  BOOST_TEST(line()["a"].get<std::string>() == "nan");
  BOOST_TEST(line()["b"].get<std::string>() == "inf");
}

BOOST_AUTO_TEST_CASE(keeps_its_own_keys_for_itself) {
  log.info("real", {{"message", "other"}, {"severity", "x"}, {"time", "y"}});

  BOOST_TEST(line()["message"].get<std::string>() == "real");
  BOOST_TEST(line()["message_"].get<std::string>() == "other");
}

BOOST_AUTO_TEST_CASE(reads_back_as_the_text_of_the_same_event) {
  const Log text = Log::toFile(folder / "text", LogLevel::kDebug).value();
  for (const Log& one : {log, text}) {
    one.with({"role", "server"})
        .warn("say \"hi\"\x1b[31m", {{"step", 420}, {"ms", 2.5}, {"words", "two words"}});
  }

  const auto shown = textFromJsonLine(lines().front());

  BOOST_REQUIRE(shown.has_value());
  constexpr std::size_t kTime = 24;  // written at two moments
  const std::string expected = readTextFile(folder / "text", /*limit=*/65536).value();
  BOOST_TEST(shown->substr(kTime) + "\n" == expected.substr(kTime));
}

BOOST_DATA_TEST_CASE(
    leaves_lines_of_others_alone,
    boost::unit_test::data::make({"", "step 1", "{", "{}", "[1]", R"({"message":"x"})",
                                  R"({"time":"t","severity":"LOUD","message":"x"})",
                                  R"({"time":"t","severity":"INFO","message":7})",
                                  R"({"time":"t\n","severity":"INFO","message":"x"})",
                                  R"({"time":"t","severity":"INFO","message":"x","a":[1]})",
                                  R"({"time":"t","severity":"INFO","message":"x","a b":1})",
                                  "{\"time\":\"t\",\"severity\":\"INFO\",\"message\":\"\xff\"}"}),
    other) {
  BOOST_TEST(!textFromJsonLine(other).has_value());
}

BOOST_AUTO_TEST_CASE(survives_deep_nesting) {
  BOOST_TEST(!textFromJsonLine("{\"a\":" + std::string(500'000, '[')).has_value());
  BOOST_TEST(
      !textFromJsonLine("{\"a\":" + std::string(400'000, '[') + std::string(400'000, ']') + "}")
           .has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::log_test
