#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "job/document/job.h"
#include "job/document/network_of.h"
#include "tests/support/golden.h"
#include "tests/unit/job/document/documents.h"

namespace sumac::job::program_test {
namespace {

constexpr std::string_view kProgram = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: mine}
spec:
  program: {command: [python, train.py]}
  training: {batchSize: 64, steps: 100, logicalWorkers: 8}
  worker: {replicas: 2}
)";

Reading read(std::string_view text) {
  return readJob(text, "job.yaml", {}, /*needs_to_run=*/true);
}

std::string withWorker(std::string_view worker) {
  return replaced(kProgram, "worker: {replicas: 2}", worker);
}

std::string withImage(std::string_view containers) {
  return withWorker("worker: {template: {spec: {containers: " + std::string(containers) + "}}}");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(program)

BOOST_AUTO_TEST_CASE(has_one_thread_and_is_verified_by_default) {
  const Reading reading = read(kProgram);
  BOOST_TEST_REQUIRE(problemList(reading.problems) == "");
  const ProgramSpec& program = *reading.job->program;
  BOOST_TEST((program.command == std::vector<std::string>{"python", "train.py"}));
  BOOST_TEST(program.threads == 1);
  BOOST_TEST(program.verify == 100);
  BOOST_TEST(reading.job->training.threads == 1);
  BOOST_TEST(reading.job->canChangeMembers());
}

BOOST_AUTO_TEST_CASE(is_verified_never_with_zero) {
  const auto reading = read(replaced(kProgram, "train.py]", "train.py], threads: 3, verify: 0"));
  BOOST_TEST_REQUIRE(problemList(reading.problems) == "");
  BOOST_TEST(reading.job->program->verify == 0);
  BOOST_TEST(reading.job->training.threads == 3);
}

BOOST_AUTO_TEST_CASE(resolves_to_a_document_without_what_it_does_itself) {
  const Reading reading = read(kProgram);
  const nlohmann::json spec = (*reading.resolved).at("spec");
  for (const char* const absent : {"model", "data"})
    BOOST_TEST(!spec.contains(absent), absent);
  for (const char* const absent :
       {"optimizer", "loss", "initializer", "schedule", "evaluation", "threads", "kernels"})
    BOOST_TEST(!spec.at("training").contains(absent), absent);
  const Reading again = readJob(reading.resolved, "resolved.json", {}, true);
  BOOST_TEST(problemList(again.problems) == "");
  BOOST_TEST(again.resolved.text() == reading.resolved.text());
}

BOOST_AUTO_TEST_CASE(small_parts_are_a_matter_of_its_libraries) {
  BOOST_TEST(read(replaced(kProgram, "logicalWorkers: 8", "logicalWorkers: 64")).warnings.empty());
}

BOOST_AUTO_TEST_CASE(has_no_network_that_we_know) {
  const Reading reading = read(kProgram);
  BOOST_TEST(!networkOf(*reading.job).has_value());
  BOOST_TEST(networkSpecOf(*reading.job).error().message.starts_with("spec.program: "));
}

BOOST_AUTO_TEST_CASE(needs_an_image_only_in_a_cluster) {
  const auto placesOfCluster = [](std::string_view text) {
    const Reading reading = read(text);
    BOOST_TEST(problemList(reading.problems) == "");
    return placesOf(reading.only_local);
  };
  const std::string missing = "5:12 spec.program\n";
  BOOST_TEST(placesOfCluster(kProgram) == missing);
  BOOST_TEST(placesOfCluster(withImage("[{name: other, image: a}]")) == missing);
  BOOST_TEST(placesOfCluster(withImage("[{name: sumac}]")) == missing);
  BOOST_TEST(placesOfCluster(withImage("[{name: sumac, image: \"\"}]")) == missing);
  BOOST_TEST(placesOfCluster(withImage("[{name: sumac, image: a}]")) == "");
  BOOST_TEST(placesOf(read(kLenet).only_local) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::program_test
