#include "operator/program/operator_flags.h"

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

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

struct BadCase {
  const char* flag;
  const char* value;
  const char* message;
};

std::ostream& operator<<(std::ostream& out, const BadCase& c) {
  return out << c.flag << ' ' << c.value;
}

const std::vector<BadCase> kBadCases = {
    {"--qps", "0", "--qps"},
    {"--qps", "fast", "--qps"},
    {"--burst", "0", "--burst"},
    {"--max-concurrent-reconciles", "0", "--max-concurrent-reconciles"},
    {"--max-concurrent-reconciles", "65", "--max-concurrent-reconciles"},
    {"--in-flight", "0", "--in-flight"},
    {"--lease-duration", "10", "must be longer than the renew deadline, 10 s"},
    {"--lease-retry-period", "9", "1.2 times the retry period, 9 s"},
    {"--lease-retry-period", "0", "--lease-retry-period"},
    {"--image-pull-policy", "Sometimes", "IfNotPresent"},
    {"--health-listen", "nowhere", "write HOST:PORT"},
    {"--log-level", "loud", "--log-level"},
    {"--log-format", "xml", "text and json"},
    {"--no-such-flag", "1", "--no-such-flag"},
};

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
  BOOST_REQUIRE(::setenv("SUMAC_OPERATOR_QPS", "20", 1) == 0);
  BOOST_REQUIRE(::setenv("SUMAC_OPERATOR_BURST", "30", 1) == 0);
  BOOST_REQUIRE(::setenv("SUMAC_OPERATOR_LEADER_ELECT", "false", 1) == 0);
  BOOST_REQUIRE(::setenv("SUMAC_OPERATOR_LOG_FORMAT", "json", 1) == 0);

  const Parsed parsed = parse({"--burst", "7"});

  for (const char* name : {"SUMAC_OPERATOR_QPS", "SUMAC_OPERATOR_BURST",
                           "SUMAC_OPERATOR_LEADER_ELECT", "SUMAC_OPERATOR_LOG_FORMAT"}) {
    ::unsetenv(name);
  }
  BOOST_REQUIRE(std::holds_alternative<OperatorFlags>(parsed));
  BOOST_TEST(std::get<OperatorFlags>(parsed).qps == 20.0);
  BOOST_TEST(std::get<OperatorFlags>(parsed).burst == 7);
  BOOST_TEST(!std::get<OperatorFlags>(parsed).leader_elect);
  BOOST_TEST(std::get<OperatorFlags>(parsed).log.format == "json");
}

BOOST_DATA_TEST_CASE(what_cannot_work_is_refused_with_a_message,
                     boost::unit_test::data::make(kBadCases), sample) {
  const Captured captured;

  const Parsed parsed = parse({sample.flag, sample.value});

  BOOST_REQUIRE(std::holds_alternative<ExitCode>(parsed));
  BOOST_TEST((std::get<ExitCode>(parsed) == ExitCode::kUsage));
  BOOST_TEST(captured.text().find(sample.message) != std::string::npos, captured.text());
}

BOOST_AUTO_TEST_CASE(images_are_asked_for_by_name) {
  const Captured captured;
  const std::vector<const char*> arguments = {"sumac-operator", "--worker-image", "w:1"};

  const Parsed parsed = parseOperatorFlags(3, arguments.data());

  BOOST_TEST((std::get<ExitCode>(parsed) == ExitCode::kUsage));
  BOOST_TEST(captured.text().find("--server-image is required") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::program::operator_flags_test
