#include "cli/run/resume.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "common/base/bytes.h"
#include "common/base/file.h"
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
  BOOST_REQUIRE(replaceFile(folder.job(), asBytes(before.resolved)));

  BOOST_TEST(checkResumption(folder, read(textJob(8))).has_value());
  const auto other = checkResumption(folder, read(textJob(9)));

  BOOST_REQUIRE(!other);
  BOOST_TEST(other.error().message.find("belongs to another job") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(works_where_the_files_of_the_data_have_another_path) {
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  BOOST_REQUIRE(replaceFile(folder.job(), asBytes(read(textJob(8)).resolved)));

  const auto moved = job::readJob(textJob(8), "job.yaml", {{"data.path=/home/me/data"}, {}, {}},
                                  /*needs_to_run=*/true);

  BOOST_TEST(checkResumption(folder, moved).has_value());
}

BOOST_AUTO_TEST_CASE(names_what_is_asked_for_now_and_what_the_run_has) {
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  BOOST_REQUIRE(replaceFile(folder.job(), asBytes(read(textJob(8)).resolved)));

  const auto other = job::readJob(textJob(8), "job.yaml", {{"training.seed=7"}, {}, {}},
                                  /*needs_to_run=*/true);
  const auto checked = checkResumption(folder, other);

  BOOST_REQUIRE(!checked);
  BOOST_TEST(checked.error().message.ends_with("seed: this job has 7, the run has 1"),
             checked.error().message);
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
