#include "exchange/coordinator/job_setup.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "job/document/job_file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::job_setup_test {
namespace {

std::string document(const std::string& rate) {
  return "apiVersion: sumac.dev/v1alpha1\n"
         "kind: TrainingJob\n"
         "metadata: {name: test}\n"
         "spec:\n"
         "  model: {name: lenet5}\n"
         "  data: {name: fashion-mnist-mini}\n"
         "  training:\n"
         "    batchSize: 128\n"
         "    epochs: 5\n"
         "    logicalWorkers: 4\n"
         "    optimizer: {name: sgd, learningRate: \"" +
         rate +
         "\"}\n"
         "  strategy: {exchange: parameterServer}\n"
         "  worker: {replicas: 2}\n"
         "  server: {replicas: 2}\n"
         "  security: {transport: none}\n";
}

Result<JobSetup> read(const std::string& text, std::optional<int> workers = {}) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "job.yaml", asBytes(text)));
  const auto job = job::readJobFile((folder / "job.yaml").string(), workers);
  if (!job) return job.error();
  return setupOf(*job, /*is_elastic=*/false);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(setup)

BOOST_AUTO_TEST_CASE(makes_the_plan_that_the_document_asks_for) {
  const auto setup = read(document("0.1"));

  BOOST_REQUIRE(setup);
  const auto plan = setup->plan_of(/*size=*/0);
  BOOST_REQUIRE(plan);
  BOOST_TEST(plan->exchange.parts == 4);
  BOOST_TEST(setup->servers == 2);
  BOOST_TEST(setup->workers == 2);
  BOOST_TEST(plan->exchange.values == plan->exchange.parameters + 1);
}

BOOST_AUTO_TEST_CASE(waits_as_long_as_the_run_policy_says) {
  const auto silent = read(document("0.1"));
  BOOST_REQUIRE(silent);
  BOOST_TEST((silent->limits.join == std::chrono::seconds(600)));
  BOOST_TEST(!silent->limits.stalled.has_value());

  const auto set =
      read(document("0.1") + "  runPolicy: {joinSeconds: 90, stalledAfterSeconds: 1800}\n");
  BOOST_REQUIRE(set);
  BOOST_TEST((set->limits.join == std::chrono::seconds(90)));
  BOOST_TEST((set->limits.stalled == Duration(std::chrono::seconds(1800))));
}

BOOST_AUTO_TEST_CASE(has_a_line_for_what_fixes_the_bits) {
  const std::string text = read(document("0.1")).value().plan_text;

  for (const char* line :
       {"job=test\n", "batchSize=128\n", "logicalWorkers=4\n", "strategy=servers\n",
        "optimizer.learningRate=0.1\n", "data=fashion-mnist-mini\n"}) {
    BOOST_TEST(text.find(line) != std::string::npos, line);
  }
  BOOST_TEST(text == read(document("0.1")).value().plan_text);
  BOOST_TEST(text != read(document("0.2")).value().plan_text);
}

BOOST_AUTO_TEST_CASE(workers_of_the_attempt_stand_over_the_document_s_and_leave_the_plan_alone) {
  const auto three = read(document("0.1"), 3);

  BOOST_REQUIRE(three);
  BOOST_TEST(three->workers == 3);
  BOOST_TEST(three->plan_of(0).value().exchange.parts == 4);
  BOOST_TEST(three->plan_text == read(document("0.1")).value().plan_text);
  BOOST_TEST(!read(document("0.1"), 5));
}

BOOST_AUTO_TEST_CASE(a_program_needs_neither_model_nor_data) {
  const auto setup = read(
      "apiVersion: sumac.dev/v1alpha1\n"
      "kind: TrainingJob\n"
      "metadata: {name: mine}\n"
      "spec:\n"
      "  program: {command: [python, train.py]}\n"
      "  training: {batchSize: 64, steps: 9, logicalWorkers: 4}\n"
      "  worker: {replicas: 2}\n");
  BOOST_REQUIRE(setup);
  BOOST_TEST(setup->plan_text.find("program.command=[\"python\",\"train.py\"]\n") !=
             std::string::npos);
  BOOST_TEST(!setup->plan_of(0));
  const auto plan = setup->plan_of(1000);
  BOOST_REQUIRE(plan);
  BOOST_TEST(plan->exchange.parts == 4);
  BOOST_TEST(plan->exchange.values == 1001);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_setup_test
