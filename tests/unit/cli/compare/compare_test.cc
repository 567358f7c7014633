#include "cli/compare/compare.h"

#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "job/progress/job_event.h"
#include "job/progress/progress.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::compare_test {
namespace {

constexpr const char* kJob = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: small}
spec:
  model: {name: lenet5}
  data: {name: fashion-mnist-mini}
  training:
    batchSize: 16
    epochs: 1
    optimizer: {name: sgd, learningRate: "RATE"}
  worker: {replicas: 1}
)";

struct Fixture {
  std::filesystem::path add(const std::string& name, const std::string& rate) const {
    auto path = folder.path() / name;
    std::filesystem::create_directories(path);
    std::string job = kJob;
    job.replace(job.find("RATE"), 4, rate);
    Progress progress;
    progress.step = 10;
    progress.total_steps = 10;
    progress.loss = 0.5;
    Evaluated scores;
    scores.step = 10;
    scores.test_accuracy = 0.75;
    const std::string lines = toLine(progress) + "\n" + toLine(scores) + "\n{\"cut";
    write(path / "job.yaml", job);
    write(path / "metrics.jsonl", lines);
    return path;
  }

  static void write(const std::filesystem::path& path, const std::string& text) {
    BOOST_TEST_REQUIRE(createFile(path, asBytes(text)).has_value());
  }

  ExitCode compare(const std::vector<std::filesystem::path>& runs) {
    out.str("");
    err.str("");
    return compareRuns({runs, page, {}}, out, err);
  }

  bool says(const std::ostringstream& where, const std::string& part) const {
    return where.str().find(part) != std::string::npos;
  }

  TemporaryFolder folder;
  std::filesystem::path page;
  std::ostringstream out;
  std::ostringstream err;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(compare_runs, Fixture)

BOOST_AUTO_TEST_CASE(prints_what_differs_and_what_came_out) {
  BOOST_TEST((compare({add("one", "0.1"), add("two", "0.2")}) == ExitCode::kDone));
  for (const char* part : {"one", "two", "learningRate", "0.1", "0.2", "0.5000", "75.00 %"})
    BOOST_TEST(says(out, part), out.str());
}

BOOST_AUTO_TEST_CASE(names_folders_of_one_name_by_their_paths) {
  const auto one = add("a/run", "0.1");
  const auto other = add("b/run", "0.2");
  BOOST_TEST((compare({one, other / ""}) == ExitCode::kDone));
  BOOST_TEST(says(out, one.string()), out.str());
}

BOOST_AUTO_TEST_CASE(reads_the_cause_of_a_run_that_failed) {
  const auto one = add("one", "0.1");
  write(
      one / "result.json",
      R"({"schemaVersion": 1, "state": "Failed", "step": 10, "exitCode": 1, "message": "bad\nloss"})");
  BOOST_TEST((compare({one}) == ExitCode::kDone));
  BOOST_TEST(says(out, "Failed"), out.str());
  BOOST_TEST(says(out, "one ended: bad loss"), out.str());
}

BOOST_AUTO_TEST_CASE(says_which_folder_is_no_run) {
  BOOST_TEST((compare({folder.path() / "none"}) == ExitCode::kBadConfiguration));
  BOOST_TEST(says(err, (folder.path() / "none").string()), err.str());
  BOOST_TEST((compare({folder.path()}) == ExitCode::kBadConfiguration));
  BOOST_TEST(says(err, "has no job.yaml"), err.str());
  const auto broken = add("broken", "much");
  BOOST_TEST((compare({broken}) == ExitCode::kBadConfiguration));
  BOOST_TEST(says(err, "learningRate"), err.str());
}

BOOST_AUTO_TEST_CASE(writes_a_page) {
  page = folder.path() / "page.html";
  BOOST_TEST((compare({add("one", "0.1")}) == ExitCode::kDone));
  BOOST_TEST(readTextFile(page, 1 << 20).value().find("<html") != std::string::npos);
  page = folder.path() / "none" / "page.html";
  BOOST_TEST((compare({folder.path() / "one"}) == ExitCode::kResourceFailed));
  BOOST_TEST(says(err, "page.html"), err.str());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::compare_test
