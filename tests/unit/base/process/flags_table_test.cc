#include <algorithm>
#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>

#include "base/process/log_flags.h"
#include "base/process/member_flags.h"

namespace sumac::flags_table_test {
namespace {

struct Fixture {
  Fixture() { addLogFlags(app, member_flags::kLogLevel, member_flags::kLogFormat, flags); }
  ~Fixture() { ::unsetenv(member_flags::kLogFormat.variable); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  void parse(const std::string& line) { app.parse(line); }

  CLI::App app;
  LogFlags flags;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(flags_table, Fixture)

BOOST_AUTO_TEST_CASE(a_flag_wins_over_its_variable_which_wins_over_the_default) {
  parse("");
  BOOST_TEST(flags.format == "text");

  ::setenv(member_flags::kLogFormat.variable, "json", 1);
  parse("");
  BOOST_TEST(flags.format == "json");

  parse("--log-format text");
  BOOST_TEST(flags.format == "text");
}

BOOST_AUTO_TEST_CASE(unknown_names_are_rejected_with_the_known_ones) {
  const auto names = [](const std::string& part) {
    return [part](const CLI::Error& error) {
      return std::string(error.what()).find(part) != std::string::npos;
    };
  };

  BOOST_CHECK_EXCEPTION(parse("--log-format xml"), CLI::ParseError, names("text and json"));
  BOOST_CHECK_EXCEPTION(parse("--log-level loud"), CLI::ParseError, names("debug, info, warn"));
}

BOOST_AUTO_TEST_CASE(a_template_may_set_what_the_operator_does_not_decide) {
  for (const Flag& flag :
       {member_flags::kLogLevel, member_flags::kLogFormat, member_flags::kFlappingSeconds}) {
    BOOST_TEST(!std::ranges::any_of(member_flags::kOwnedByOperator, [&](const char* owned) {
      return std::string(owned) == flag.variable;
    }));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::flags_table_test
