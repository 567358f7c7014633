#include "cli/run/report.h"

#include <algorithm>

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

BOOST_AUTO_TEST_CASE(shows_the_validation_split_beside_the_test_split) {
  JobResult result = aResult();
  result.valid_accuracy = 0.75;
  result.test_accuracy = 0.5;

  const std::string table = resultTable("lenet", result);

  BOOST_TEST(table.find("VALIDATION   ACCURACY\n") != std::string::npos, table);
  BOOST_TEST(table.find("75.00%       50.00%\n") != std::string::npos, table);
}

BOOST_AUTO_TEST_CASE(shows_the_perplexities_of_text) {
  JobResult result = aResult();
  result.valid_perplexity = 223.512;

  const std::string table = resultTable("ptb", result);

  BOOST_TEST(table.find("VALID-PERPLEXITY   TEST-PERPLEXITY\n") != std::string::npos, table);
  BOOST_TEST(table.find("223.51             -\n") != std::string::npos, table);
  BOOST_TEST(table.find("ACCURACY") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(shows_where_the_time_of_each_worker_went_and_the_mean) {
  JobResult result = aResult();
  result.worker_times = {{0, 4, 2, 1, 0.5, 0.25}, {1, 8, 2, 6, 0, 0}};

  const std::string table = timeTable(result);

  BOOST_TEST(
      table.find(
          "WORKER   TIME    GRADIENTS   WAIT-FOR-SUMS   WAIT-FOR-DATA   UPDATES    OTHER\n"
          "0        4.00s   2.00s 50%   1.00s 25%       0.50s 12%       0.25s 6%   0.25s 6%\n"
          "1        8.00s   2.00s 25%   6.00s 75%       0.00s 0%        0.00s 0%   0.00s 0%\n"
          "mean     6.00s   2.00s 33%   3.50s 58%       0.25s 4%        0.12s 2%   0.12s 2%\n") !=
          std::string::npos,
      table);
}

BOOST_AUTO_TEST_CASE(shows_the_time_of_few_workers_and_of_one_no_mean) {
  JobResult result = aResult();
  BOOST_TEST(timeTable(result).empty());
  result.worker_times = {{0, 4, 2, 1, 0.5, 0.25}};
  BOOST_TEST(timeTable(result).find("mean") == std::string::npos);
  result.worker_times.assign(200, {0, 4, 2, 1, 0.5, 0.25});
  BOOST_TEST(std::ranges::count(timeTable(result), '\n') == 1 + 8 + 1);
}

BOOST_AUTO_TEST_CASE(shows_no_control_characters) {
  JobResult result = aResult();
  result.setting.numerics = "\x1b[2J";

  BOOST_TEST(resultTable("x", result).find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::report_test
