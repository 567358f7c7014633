#include "cli/run/report.h"

#include <algorithm>
#include <fstream>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
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

BOOST_AUTO_TEST_CASE(says_first_what_was_learned_then_what_is_in_the_folder) {
  test::Transcript said;
  JobResult result = aResult();
  said.add("nothing measured", summary(result, kNoFolder));
  result.seconds = 1.25;
  result.samples_per_second = 400;
  result.loss = 0.25;
  result.test_accuracy = 0.5;
  result.parameters_sha256 = "18a7";
  result.setting.logical_workers = 4;
  result.setting.seed = 7;
  result.setting.numerics = "avx2/1";
  said.add("images", summary(result, kNoFolder));
  result.valid_accuracy = 0.75;
  said.add("with a validation split", summary(result, kNoFolder));
  said.add(
      "after members changed",
      summary(result, kNoFolder, {.batch_size = 64, .seconds = 12, .members = "changed 2 times"}));
  said.add("resumed", summary(result, kNoFolder, {.from = 6, .seconds = 12}));

  JobResult text = aResult();
  text.valid_perplexity = 223.512;
  const TemporaryFolder folder;
  for (const char* name : {"model.safetensors", "metrics.jsonl", "job.yaml"})
    std::ofstream(folder.path() / name) << "x";
  said.add("text, with files", test::replaced(summary(text, RunFolder(folder.path())),
                                              folder.path().string(), "FOLDER"));
  const auto of_program = summary(text, RunFolder(folder.path()), {.has_program = true});
  said.add("of a program, with files",
           test::replaced(of_program, folder.path().string(), "FOLDER"));
  test::checkGolden("cli/run/summary.txt", said.text());
}

BOOST_AUTO_TEST_CASE(shows_where_the_time_of_each_worker_went_and_the_mean) {
  JobResult result = aResult();
  result.worker_times = {{0, 4, 2, 1, 0.5, 0.25}, {1, 8, 2, 6, 0, 0}};

  test::checkGolden("cli/run/worker_times.txt", timeTable(result));
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
