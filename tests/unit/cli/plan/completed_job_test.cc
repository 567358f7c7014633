#include "cli/plan/completed_job.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "cli/document/document.h"
#include "cli/plan/member_resources.h"
#include "planner/advice/job_choice.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/plan/planned.h"

namespace sumac::cli {
namespace {

/// An answer that recommends this configuration.
planner::Advice adviceOf(const planner::JobChoice& choice) {
  planner::Advice advice;
  advice.job_batch = 64;
  advice.job_steps = 120;
  planner::Configuration one;
  one.choice = choice;
  one.threads = 2;
  one.steps = 120 * 64 / choice.batch;
  one.memory = {.worker_bytes = 100 << 20, .server_bytes = 50 << 20, .limit_bytes = {}};
  advice.configurations = {one};
  advice.recommended = 0;
  return advice;
}

/// The question of a job on machines of so many cores each.
planner::AdviceQuestion questionOn(double cores, const job::TrainingJob& job) {
  planner::AdviceQuestion question;
  question.job = job;
  question.network = job::networkOf(job).value();
  question.profile = PlanCalls::profile();
  planner::MachineType machine;
  machine.cores = planner::Figure{.value = cores, .source = "a data sheet", .date = {}};
  question.machine = machine;
  question.data_bytes = dataBytes(job.data);
  return question;
}

std::string completed(std::string_view document, const planner::JobChoice& choice,
                      double cores = 2) {
  const auto reading = job::readJob(document, "job.yaml", {}, false);
  BOOST_TEST_REQUIRE(reading.job.has_value(), job::problemList(reading.problems));
  planner::Advice advice = adviceOf(choice);
  advice.place = {.machine_type = "big", .host = "vm", .cpu = "AMD EPYC", .cores = 2};
  advice.notes = {{planner::NoteKind::kDisturbed, 0, 0, "rows\nof \"any\" text"}};
  const auto text =
      completedJob(reading, questionOn(cores, *reading.job), advice, "sumac plan a.yaml");
  BOOST_TEST_REQUIRE(text.has_value());
  return *text;
}

planner::JobChoice twoWorkersOneServer() {
  planner::JobChoice choice;
  choice.batch = 64;
  choice.workers = 2;
  choice.logical_workers = 4;
  choice.servers = 1;
  return choice;
}

/// As `sumac validate` says it.
std::string problemsOf(const std::string& text) {
  std::ostringstream out;
  std::ostringstream err;
  return validateText(text, "completed.yaml", {}, out, err) == 0 ? "" : err.str();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(completed_job)

BOOST_AUTO_TEST_CASE(every_configuration_is_a_job_that_validates_and_has_that_configuration) {
  for (const planner::JobChoice& choice :
       planner::candidates({.batches = {64, 256}, .most_workers = 8, .logical_workers = 4})) {
    const std::string text = completed(kPlannedJob, choice);

    BOOST_TEST(problemsOf(text) == "");
    const auto reading = job::readJob(text, "completed.yaml", {}, false);
    BOOST_TEST_REQUIRE(reading.job.has_value());
    BOOST_TEST((planner::choiceOf(*reading.job) == choice), choice.members());
  }
}

// 800 images and batches of 512 are one step an epoch: epochs would be 60 steps for 15.
BOOST_AUTO_TEST_CASE(another_batch_has_the_planned_steps_and_not_epochs) {
  planner::JobChoice choice = twoWorkersOneServer();
  choice.batch = 512;

  const std::string text = completed(kPlannedJob, choice);

  const auto reading = job::readJob(text, "completed.yaml", {}, false);
  BOOST_TEST_REQUIRE(reading.job.has_value());
  BOOST_TEST(reading.job->training.steps.value() == 15);
  BOOST_TEST(!reading.job->training.epochs.has_value());
}

BOOST_AUTO_TEST_CASE(the_jobs_own_batch_keeps_its_epochs) {
  const std::string text = completed(kPlannedJob, twoWorkersOneServer());

  const auto reading = job::readJob(text, "completed.yaml", {}, false);
  BOOST_TEST_REQUIRE(reading.job.has_value());
  BOOST_TEST(reading.job->training.epochs.value() == 10);
}

BOOST_AUTO_TEST_CASE(notes_stand_in_comments_whatever_they_contain) {
  planner::JobChoice choice = twoWorkersOneServer();
  choice.batch = 512;
  test::checkGolden("cli/plan/completed.yaml", completed(kPlannedJob, choice));
}

BOOST_AUTO_TEST_CASE(requests_leave_the_node_its_part_and_limit_no_cpu) {
  const std::string small = completed(kPlannedJob, twoWorkersOneServer(), 2);
  const std::string large = completed(kPlannedJob, twoWorkersOneServer(), 16);

  BOOST_TEST(has(small, "1800m"), small);
  BOOST_TEST(has(small, "cpu: \"1\""), small);  // of a server
  BOOST_TEST(has(large, "cpu: \"2\""), large);
  const std::string least = completed(kPlannedJob, twoWorkersOneServer(), 1);
  BOOST_TEST(has(least, "800m"), least);
  BOOST_TEST(has(small, "threads: 2"), small);  // auto would be all cores of the node
  const auto limits = small.find("limits:");
  BOOST_TEST_REQUIRE(limits != small.npos);
  BOOST_TEST(small.find("cpu:", limits) > small.find("server:", limits), small);
}

BOOST_AUTO_TEST_CASE(members_of_one_machine_share_it) {
  const auto reading = job::readJob(kPlannedJob, "job.yaml", {}, false);
  planner::AdviceQuestion question = questionOn(2, *reading.job);
  question.place = planner::Placement::kHere;

  const planner::Advice advice = adviceOf(twoWorkersOneServer());

  BOOST_TEST(workerResources(question, advice).cpu == "600m");
  BOOST_TEST(serverResources(question, advice).cpu == "600m");
}

BOOST_AUTO_TEST_CASE(members_get_the_memory_of_the_configuration) {
  const auto reading = job::readJob(kPlannedJob, "job.yaml", {}, false);
  planner::AdviceQuestion question = questionOn(2, *reading.job);
  const planner::Advice advice = adviceOf(twoWorkersOneServer());

  BOOST_TEST(workerResources(question, advice).memory == "100Mi");
  BOOST_TEST(workerResources(question, advice).memory_limit == "100Mi");
  question.data_bytes.reset();
  BOOST_TEST(workerResources(question, advice).memory_limit == "");
  BOOST_TEST(serverResources(question, advice).memory_limit == "50Mi");
}

BOOST_AUTO_TEST_CASE(a_limit_that_fewer_workers_exceed_is_told_of) {
  const std::string worker = "worker: {replicas: 2, minReplicas: 1, maxReplicas: 4";
  std::string document(kPlannedJob);
  document.replace(
      document.find(worker), worker.size(),
      worker +
          ", template: {spec: {containers: [{name: sumac, resources: {limits: {memory: 16Mi"
          "}}}]}}");
  BOOST_TEST(has(completed(document, twoWorkersOneServer()), "fits from 2 workers"));
  BOOST_TEST(!has(completed(kPlannedJob, twoWorkersOneServer()), "fits from"));
  planner::JobChoice alone = twoWorkersOneServer();
  alone.workers = 1;
  BOOST_TEST(!has(completed(document, alone), "fits from"));
}

BOOST_AUTO_TEST_CASE(a_job_that_sizes_itself_goes_on_to_do_so) {
  const std::string document = std::string(kPlannedJob) + "  autoscaling: {policy: throughput}\n";
  const std::string text = completed(document, twoWorkersOneServer());
  const auto reading = job::readJob(text, "job.yaml", {}, false);
  BOOST_TEST_REQUIRE(reading.job.has_value(), text);
  BOOST_TEST(reading.job->autoscaling.has_value());
  BOOST_TEST(reading.job->worker.min_replicas.value() == 1);
  BOOST_TEST(reading.job->worker.max_replicas.value() == 4);
  BOOST_TEST(reading.job->worker.replicas == 2);
}

BOOST_AUTO_TEST_CASE(data_that_the_job_makes_or_names_has_a_size) {
  const auto reading = job::readJob(kPlannedJob, "job.yaml", {}, false);
  BOOST_TEST(dataBytes(reading.job->data).value() == 900 * 785);
  job::DataSpec data;
  data.generated = job::GeneratedData{
      .train_samples = 200'000, .test_samples = 0, .shape = {1, 28, 28}, .classes = 10};
  BOOST_TEST(dataBytes(data).value() == 200'000 * 785);
  data.generated = job::GeneratedData{
      .shape = {}, .train_tokens = 10'000'000, .test_tokens = 5'000'000, .vocabulary = 9};
  BOOST_TEST(dataBytes(data).value() == 80'000'000);
}

BOOST_AUTO_TEST_CASE(data_of_unknown_size_leaves_out_the_limit_and_says_what_to_add) {
  std::string document(kPlannedJob);
  const std::string data = "{name: fashion-mnist-mini}";
  document.replace(document.find(data), data.size(), "{format: idx, path: /data}");
  planner::JobChoice choice = twoWorkersOneServer();
  choice.servers = 0;
  choice.method = ExchangeMethod::kDecentralized;

  const std::string text = completed(document, choice);

  BOOST_TEST(has(text, "100Mi"), text);
  BOOST_TEST(!has(text, "limits:"), text);
  BOOST_TEST(has(text, "sumac data info"), text);
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
  BOOST_TEST(text.find("100Mi") == std::string::npos, text);
  BOOST_TEST(text.find("other") != std::string::npos, text);
  BOOST_TEST(text.find("everySteps: 100") != std::string::npos, text);
  BOOST_TEST(problemsOf(text) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
