#include "cli/plan/completed_job.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "cli/document/document.h"
#include "planner/advice/job_choice.h"
#include "tests/unit/cli/plan/planned.h"

namespace sumac::cli {
namespace {

/// An answer that recommends this way.
planner::Advice adviceOf(const planner::JobChoice& choice) {
  planner::Advice advice;
  advice.job_batch = 64;
  advice.job_steps = 120;
  advice.threads = 2;
  planner::Way way;
  way.choice = choice;
  way.steps = 120.0 * 64 / static_cast<double>(choice.batch);
  way.memory = {.worker_bytes = 100 << 20, .server_bytes = 50 << 20, .limit_bytes = {}};
  advice.ways = {way};
  advice.recommended = 0;
  return advice;
}

std::string completed(std::string_view document, const planner::JobChoice& choice) {
  const auto reading = job::readJob(document, "job.yaml", {}, false);
  BOOST_TEST_REQUIRE(reading.job.has_value(), job::problemList(reading.problems));
  const auto text = completedJob(reading, adviceOf(choice));
  BOOST_TEST_REQUIRE(text.has_value());
  return *text;
}

/// As `sumac validate` says it.
std::string problemsOf(const std::string& text) {
  std::ostringstream out;
  std::ostringstream err;
  return validateText(text, "completed.yaml", {}, out, err) == 0 ? "" : err.str();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(completed_job)

BOOST_AUTO_TEST_CASE(every_way_is_a_job_that_validates_and_has_that_way) {
  for (const planner::JobChoice& choice :
       planner::candidates({.batches = {64, 256}, .most_workers = 8, .logical_workers = 4})) {
    const std::string text = completed(kPlannedJob, choice);

    BOOST_TEST(problemsOf(text) == "");
    const auto reading = job::readJob(text, "completed.yaml", {}, false);
    BOOST_TEST_REQUIRE(reading.job.has_value());
    BOOST_TEST((planner::choiceOf(*reading.job) == choice), toString(choice));
  }
}

BOOST_AUTO_TEST_CASE(epochs_are_those_with_the_same_progress) {
  planner::JobChoice choice;
  choice.batch = 128;
  choice.servers = 1;

  const auto reading = job::readJob(completed(kPlannedJob, choice), "completed.yaml", {}, false);

  BOOST_TEST_REQUIRE(reading.job.has_value());
  BOOST_TEST(reading.job->training.epochs.value() == 10);
}

BOOST_AUTO_TEST_CASE(members_get_what_they_need_and_a_quarter_more) {
  planner::JobChoice choice;
  choice.batch = 64;
  choice.workers = 2;
  choice.logical_workers = 4;
  choice.servers = 1;

  const std::string text = completed(kPlannedJob, choice);

  BOOST_TEST(text.find("memory: \"128Mi\"") != std::string::npos, text);  // 125 of a worker
  BOOST_TEST(text.find("memory: \"64Mi\"") != std::string::npos, text);   // 62.5 of a server
  BOOST_TEST(text.find("cpu: \"2\"") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(resources_and_containers_of_the_job_stay) {
  const std::string document =
      std::string(kPlannedJob) + "  checkpoint: {path: /checkpoints, everySteps: 100}\n";
  std::string with_template = document;
  const std::string worker = "worker: {replicas: 2, minReplicas: 1, maxReplicas: 4";
  with_template.replace(with_template.find(worker), worker.size(),
                        worker +
                            ", template: {spec: {containers: [{name: other, image: a}, {name: "
                            "sumac, resources: {requests: {memory: 3Gi}}}]}}");
  planner::JobChoice choice;
  choice.batch = 64;
  choice.logical_workers = 4;

  const std::string text = completed(with_template, choice);

  BOOST_TEST(text.find("3Gi") != std::string::npos, text);
  BOOST_TEST(text.find("128Mi") == std::string::npos, text);
  BOOST_TEST(text.find("other") != std::string::npos, text);
  BOOST_TEST(text.find("everySteps: 100") != std::string::npos, text);
  BOOST_TEST(problemsOf(text) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
