#include "cli/run/report.h"

#include <algorithm>
#include <fstream>

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::cli::report_test {
namespace {

JobResult aResult() {
  JobResult result;
  result.setting.workers = 2;
  result.setting.servers = 1;
  result.steps = 9;
  return result;
}

const RunFolder kNoFolder("no-such-folder");

}  // namespace

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(says_first_what_was_learned) {
  JobResult result = aResult();
  result.seconds = 1.25;
  result.samples_per_second = 400;
  result.loss = 0.25;
  result.test_accuracy = 0.5;
  result.parameters_sha256 = "18a7";
  result.setting.logical_workers = 4;
  result.setting.seed = 7;
  result.setting.numerics = "avx2/1";

  BOOST_TEST(summary(result, kNoFolder) ==
             "test accuracy   50.00 %\n"
             "training loss   0.2500\n"
             "trained         0 epochs, 9 steps in 1.2 s, 400 samples/s; 2 workers, 1 server\n"
             "parameters      SHA-256 18a7 (4 logical workers, seed 7, avx2/1)\n");
}

BOOST_AUTO_TEST_CASE(shows_the_validation_split_beside_the_test_split) {
  JobResult result = aResult();
  result.valid_accuracy = 0.75;
  result.test_accuracy = 0.5;

  const std::string text = summary(result, kNoFolder);

  BOOST_TEST(text.starts_with("test accuracy   50.00 %\nvalidation      75.00 %\n"), text);
}

BOOST_AUTO_TEST_CASE(shows_the_perplexities_of_text) {
  JobResult result = aResult();
  result.valid_perplexity = 223.512;

  const std::string text = summary(result, kNoFolder);

  BOOST_TEST(text.starts_with("valid perplexity   223.51\ntrained            "), text);
  BOOST_TEST(text.find("accuracy") == std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(names_the_files_that_are_there) {
  const TemporaryFolder folder;
  for (const char* name : {"model.safetensors", "metrics.jsonl", "job.yaml"})
    std::ofstream(folder.path() / name) << "x";

  const std::string text = summary(aResult(), RunFolder(folder.path()));

  BOOST_TEST(text.ends_with("model        " + (folder.path() / "model.safetensors").string() +
                            "\nbeside it    metrics.jsonl, job.yaml\nnext         sumac evaluate " +
                            folder.path().string() + "\n"),
             text);
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

  BOOST_TEST(summary(result, kNoFolder).find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::report_test
