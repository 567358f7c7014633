#include "operator/program/operator_flags.h"

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::program::operator_flags_test {
namespace {

using Parsed = std::variant<OperatorFlags, ExitCode>;

/// What the flags say on stderr while it lives.
class Captured {
 public:
  Captured() : old_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~Captured() { std::cerr.rdbuf(old_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* old_;
};

Parsed parse(std::vector<const char*> more) {
  std::vector<const char*> arguments = {"sumac-operator", "--worker-image", "w:1", "--server-image",
                                        "s:1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return parseOperatorFlags(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(operator_flags)

BOOST_AUTO_TEST_CASE(images_are_enough) {
  const Parsed parsed = parse({});

  BOOST_REQUIRE(std::holds_alternative<OperatorFlags>(parsed));
  const auto& flags = std::get<OperatorFlags>(parsed);
  BOOST_TEST(flags.worker_image == "w:1");
  BOOST_TEST(flags.name_space.empty());
  BOOST_TEST(flags.leader_elect);
  BOOST_TEST(flags.lease_duration.count() == 15);
  BOOST_TEST(flags.renew_deadline.count() == 10);
  BOOST_TEST(flags.retry_period.count() == 2);
  BOOST_TEST(flags.qps == 50.0);
  BOOST_TEST(flags.burst == 100);
  BOOST_TEST(flags.max_concurrent_reconciles == 4);
  BOOST_TEST(flags.in_flight == 16);
  BOOST_TEST(flags.health_listen == ":8081");
  BOOST_TEST(flags.log.level == "info");
  BOOST_TEST(flags.log.format == "text");
}

BOOST_AUTO_TEST_CASE(a_flag_wins_over_its_variable_which_wins_over_the_default) {
  const std::pair<const char*, const char*> variables[] = {{"SUMAC_OPERATOR_QPS", "20"},
                                                           {"SUMAC_OPERATOR_BURST", "30"},
                                                           {"SUMAC_OPERATOR_LEADER_ELECT", "false"},
                                                           {"SUMAC_OPERATOR_LOG_FORMAT", "json"}};
  for (const auto& [name, value] : variables)
    BOOST_REQUIRE(::setenv(name, value, 1) == 0);
  const Parsed parsed = parse({"--burst", "7"});
  for (const auto& [name, value] : variables)
    ::unsetenv(name);
  BOOST_REQUIRE(std::holds_alternative<OperatorFlags>(parsed));
  const auto& flags = std::get<OperatorFlags>(parsed);
  BOOST_TEST(flags.qps == 20.0);
  BOOST_TEST(flags.burst == 7);
  BOOST_TEST(!flags.leader_elect);
  BOOST_TEST(flags.log.format == "json");
}

BOOST_AUTO_TEST_CASE(what_cannot_work_is_refused_with_a_message) {
  const std::pair<const char*, const char*> cases[] = {{"--qps", "0"},
                                                       {"--qps", "fast"},
                                                       {"--burst", "0"},
                                                       {"--max-concurrent-reconciles", "0"},
                                                       {"--max-concurrent-reconciles", "65"},
                                                       {"--in-flight", "0"},
                                                       {"--lease-duration", "10"},
                                                       {"--lease-retry-period", "9"},
                                                       {"--lease-retry-period", "0"},
                                                       {"--image-pull-policy", "Sometimes"},
                                                       {"--health-listen", "nowhere"},
                                                       {"--log-level", "loud"},
                                                       {"--log-format", "xml"},
                                                       {"--no-such-flag", "1"}};
  test::Transcript said;
  for (const auto& [flag, value] : cases) {
    const Captured captured;
    const Parsed parsed = parse({flag, value});
    BOOST_TEST_REQUIRE(std::holds_alternative<ExitCode>(parsed), flag);
    BOOST_TEST((std::get<ExitCode>(parsed) == ExitCode::kUsage), flag);
    said.add(std::string(flag) + " " + value, captured.text());
  }
  const Captured captured;
  const char* const one_image[] = {"sumac-operator", "--worker-image", "w:1"};
  BOOST_TEST((std::get<ExitCode>(parseOperatorFlags(3, one_image)) == ExitCode::kUsage));
  said.add("one image", captured.text());
  test::checkGolden("operator/program/flags.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::program::operator_flags_test
