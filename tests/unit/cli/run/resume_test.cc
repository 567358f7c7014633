#include "cli/run/resume.h"

#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::resume_test {
namespace {

/// A network of one's own on text, whose vocabulary only the data know.
std::string textJob(int outputs) {
  return R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: words}
spec:
  model:
    input: [5]
    layers:
      - {type: embedding, outputs: )" +
         std::to_string(outputs) + R"(}
      - {type: dense}
      - {type: softmaxCrossEntropy}
  data: {format: text, path: data}
  training:
    batchSize: 4
    unroll: 5
    steps: 10
    optimizer: {learningRate: "0.1"}
  security: {transport: none}
)";
}

job::Reading read(const std::string& text) {
  return job::readJob(text, "job.yaml", {}, /*needs_to_run=*/true);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resumption)

BOOST_AUTO_TEST_CASE(of_a_text_job_whose_vocabulary_the_data_know_is_refused_for_other_layers) {
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  const auto before = read(textJob(8));
  BOOST_REQUIRE(before.job);
  BOOST_REQUIRE(replaceFile(folder.job(), asBytes(before.resolved.text())));

  BOOST_TEST(checkResumption(folder, read(textJob(8))).has_value());
  const auto other = checkResumption(folder, read(textJob(9)));

  BOOST_REQUIRE(!other);
  test::checkGolden("cli/run/resume_other_layers.txt",
                    test::replaced(other.error().message, place.path().string(), "FOLDER") + "\n");
}

BOOST_AUTO_TEST_CASE(works_where_the_files_of_the_data_have_another_path) {
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  BOOST_REQUIRE(replaceFile(folder.job(), asBytes(read(textJob(8)).resolved.text())));

  const auto moved = job::readJob(textJob(8), "job.yaml", {{"data.path=/home/me/data"}, {}, {}},
                                  /*needs_to_run=*/true);

  BOOST_TEST(checkResumption(folder, moved).has_value());
}

BOOST_AUTO_TEST_CASE(names_what_is_asked_for_now_and_what_the_run_has) {
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  BOOST_REQUIRE(replaceFile(folder.job(), asBytes(read(textJob(8)).resolved.text())));

  const auto other = job::readJob(textJob(8), "job.yaml", {{"training.seed=7"}, {}, {}},
                                  /*needs_to_run=*/true);
  const auto checked = checkResumption(folder, other);

  BOOST_REQUIRE(!checked);
  test::checkGolden(
      "cli/run/resume_other_seed.txt",
      test::replaced(checked.error().message, place.path().string(), "FOLDER") + "\n");
}

BOOST_AUTO_TEST_CASE(is_complete_only_if_the_result_says_so) {
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  BOOST_REQUIRE(replaceFile(folder.job(), asBytes(read(textJob(8)).resolved.text())));

  BOOST_REQUIRE(folder.output().writeEnd({"words", ExitCode::kStopped, 4, "stopped by Ctrl-C"}));
  BOOST_TEST((checkResumption(folder, read(textJob(8))).value() == Resumption::kResume));
  BOOST_REQUIRE(folder.output().writeResult(JobResult()));
  BOOST_TEST((checkResumption(folder, read(textJob(8))).value() == Resumption::kComplete));
}

BOOST_AUTO_TEST_CASE(without_a_checkpoint_needs_a_word) {
  const RunFolder folder("runs/my job");

  BOOST_TEST(checkBeginning(folder, 500, /*from_start=*/false).has_value());
  BOOST_TEST(checkBeginning(folder, std::nullopt, /*from_start=*/true).has_value());
  const auto none = checkBeginning(folder, std::nullopt, /*from_start=*/false);
  const auto kept = checkBeginning(folder, 500, /*from_start=*/true);

  BOOST_REQUIRE((!none && !kept));
  test::Transcript said;
  said.add("no checkpoint", none.error().message);
  said.add("a checkpoint, but from the start", kept.error().message);
  test::checkGolden("cli/run/resume_from_start.txt", said.text());
}

BOOST_AUTO_TEST_CASE(from_the_start_keeps_the_metrics_of_before) {
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  BOOST_REQUIRE(createFile(folder.output().metrics(), asBytes(std::string("before"))));
  std::ostringstream err;

  BOOST_TEST(beginAgain(folder, std::nullopt, err).has_value());

  BOOST_TEST(err.str().find("metrics-1.jsonl") != std::string::npos, err.str());
  BOOST_TEST(std::filesystem::exists(place / "metrics-1.jsonl"));
}

BOOST_AUTO_TEST_CASE(notices_a_folder_that_was_deleted_or_replaced) {
  const TemporaryFolder place;
  const RunFolder folder(place / "run");
  BOOST_REQUIRE(folder.create());
  const auto lock = lockFolder(folder);
  BOOST_REQUIRE(lock.has_value());
  BOOST_TEST(requireStillThere(folder, *lock).has_value());

  std::filesystem::remove(folder.path());
  BOOST_TEST(!requireStillThere(folder, *lock).has_value());

  BOOST_REQUIRE(folder.create());
  BOOST_TEST(!requireStillThere(folder, *lock).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::resume_test
