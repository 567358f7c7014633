#include "cli/run/report.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli::report_test {
namespace {

JobResult aResult() {
  JobResult result;
  result.setting.workers = 2;
  result.setting.servers = 1;
  result.steps = 9;
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(shows_the_result_of_images) {
  JobResult result = aResult();
  result.seconds = 1.25;
  result.test_accuracy = 0.5;

  const std::string table = resultTable("lenet", result);

  BOOST_TEST(table.find("lenet   2         1         9       0        1.2s   -           -      "
                        "50.00%\n") != std::string::npos,
             table);
}

BOOST_AUTO_TEST_CASE(shows_the_perplexities_of_text) {
  JobResult result = aResult();
  result.valid_perplexity = 223.512;

  const std::string table = resultTable("ptb", result);

  BOOST_TEST(table.find("VALID-PERPLEXITY   TEST-PERPLEXITY\n") != std::string::npos, table);
  BOOST_TEST(table.find("223.51             -\n") != std::string::npos, table);
  BOOST_TEST(table.find("ACCURACY") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(shows_no_control_characters) {
  JobResult result = aResult();
  result.setting.numerics = "\x1b[2J";

  BOOST_TEST(resultTable("x", result).find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::report_test
