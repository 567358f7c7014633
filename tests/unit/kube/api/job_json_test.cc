#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "job/document/job.h"
#include "kube/api/json.h"
#include "tests/support/golden.h"

namespace sumac::api::job_json_test {
namespace {

using nlohmann::json;

json aJob() {
  return json::parse(R"({
    "apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob",
    "metadata": {"name": "lenet5", "namespace": "research", "uid": "j-1", "resourceVersion": "5",
                 "generation": 2, "creationTimestamp": "2026-01-31T12:00:00Z",
                 "labels": {"kueue.x-k8s.io/queue-name": "gold"}, "managedFields": [{}]},
    "spec": {
      "model": {"name": "lenet5"}, "data": {"name": "fashion-mnist-mini"},
      "training": {"batchSize": 128, "epochs": 1,
                   "optimizer": {"name": "sgd", "learningRate": "0.1"}},
      "worker": {"replicas": 2, "minReplicas": 1, "maxReplicas": 4,
                 "template": {"spec": {"nodeSelector": {"b": "2", "a": "1"}}}},
      "runPolicy": {"cleanPodPolicy": "All", "backoffLimit": 7, "activeDeadlineSeconds": 60,
                    "scaleCoolDownSeconds": 30,
                    "scaleFitSeconds": 40, "ttlSecondsAfterFinished": 0},
      "suspend": true},
    "status": {"state": "Suspended", "attempt": 1}})");
}

TrainingJob read(const json& object) {
  const auto job = jobFromJson(object);
  BOOST_REQUIRE_MESSAGE(job.has_value(), (job ? "" : job.error().message));
  return *job;
}

BOOST_AUTO_TEST_SUITE(job_json)

BOOST_AUTO_TEST_CASE(what_the_operator_decides_by_is_read) {
  const TrainingJob job = read(aJob());

  BOOST_TEST(job.meta.key.text() == "research/lenet5");
  BOOST_TEST(job.meta.generation == 2);
  BOOST_TEST(job.meta.labels.at("kueue.x-k8s.io/queue-name") == "gold");
  BOOST_TEST(job.worker_replicas == 2);
  BOOST_TEST(job.min_replicas.value_or(0) == 1);
  BOOST_TEST(job.max_replicas.value_or(0) == 4);
  BOOST_TEST((job.run_policy.clean_pods == CleanPodPolicy::kAll));
  BOOST_TEST(job.run_policy.backoff_limit == 7);
  BOOST_TEST(job.run_policy.active_deadline_seconds.value_or(-1) == 60);
  BOOST_TEST(!job.run_policy.pre_running_deadline_seconds.has_value());
  BOOST_TEST(job.run_policy.scale_cool_down_seconds.value_or(-1) == 30);
  BOOST_TEST(job.run_policy.scale_fit_seconds.value_or(-1) == 40);
  BOOST_TEST(job.run_policy.ttl_seconds_after_finished.value_or(-1) == 0);
  BOOST_TEST(job.suspend);
  BOOST_TEST(job.isManagedByUs());
  BOOST_TEST(job.status.attempt == 1);
}

BOOST_AUTO_TEST_CASE(autoscaling_is_read_with_its_defaults) {
  BOOST_TEST(!read(aJob()).autoscaling.has_value());
  json object = aJob();
  object["spec"]["autoscaling"] = {{"policy", "efficiency"}};
  const job::AutoscalingSpec usual = *read(object).autoscaling;
  BOOST_TEST((usual.policy == job::AutoscalingPolicy::kEfficiency));
  BOOST_TEST(usual.target_efficiency == 0.7);
  BOOST_TEST(usual.stabilization_seconds == 60);
  object["spec"]["autoscaling"] =
      json::parse(R"({"policy": "cost", "deadlineSeconds": 3600, "stabilizationSeconds": 5,
                      "cost": {"workerHour": "0.10", "serverHour": "0.05", "budget": "5"}})");
  const job::AutoscalingSpec read_back = *read(object).autoscaling;
  BOOST_TEST((read_back.policy == job::AutoscalingPolicy::kCost));
  BOOST_TEST(read_back.deadline_seconds == 3600);
  BOOST_TEST(read_back.worker_hour == 0.1);
  BOOST_TEST(read_back.server_hour == 0.05);
  BOOST_TEST(read_back.budget == 5);
  BOOST_TEST(read_back.stabilization_seconds == 5);
}

BOOST_AUTO_TEST_CASE(the_document_reads_back_as_the_job_that_the_user_wrote) {
  const TrainingJob job = read(aJob());

  const auto reading = job::readJob(job.document, "job", {}, /*needs_to_run=*/true);

  BOOST_TEST(reading.problems.empty(), job::problemList(reading.problems));
  const json document = *job.document;
  BOOST_TEST(document["metadata"].size() == 1U);
  BOOST_TEST(!document.contains("status"));
}

BOOST_AUTO_TEST_CASE(absent_fields_have_the_schemas_defaults) {
  json object = aJob();
  object["spec"] = json::object();
  object.erase("status");

  const TrainingJob job = read(object);

  BOOST_TEST(job.worker_replicas == 1);
  BOOST_TEST(!job.min_replicas.has_value());
  BOOST_TEST((job.run_policy.clean_pods == CleanPodPolicy::kRunning));
  BOOST_TEST(job.run_policy.backoff_limit == 3);
  BOOST_TEST(!job.suspend);
  BOOST_TEST((job.status == JobStatus()));
}

BOOST_AUTO_TEST_CASE(the_template_hash_follows_the_templates_and_nothing_else) {
  const std::string hash = read(aJob()).template_hash;
  BOOST_TEST(hash.size() == 64U);

  json other = aJob();
  other["spec"]["worker"]["replicas"] = 3;
  other["spec"]["runPolicy"]["backoffLimit"] = 1;
  other["spec"]["worker"]["template"] = json::parse(R"({"spec": {"nodeSelector":
      {"a": "1", "b": "2"}}})");
  BOOST_TEST(read(other).template_hash == hash);

  other["spec"]["worker"]["template"]["spec"]["nodeSelector"]["a"] = "9";
  BOOST_TEST(read(other).template_hash != hash);

  json moved = aJob();
  moved["spec"]["server"]["template"] = moved["spec"]["worker"]["template"];
  moved["spec"]["worker"].erase("template");
  BOOST_TEST(read(moved).template_hash != hash);
}

BOOST_AUTO_TEST_CASE(a_tree_too_deep_to_be_written_gives_no_document) {
  json deep = 1;
  for (int level = 0; level < 20'000; ++level) {
    json outer = json::object();
    outer["x"] = std::move(deep);
    deep = std::move(outer);
  }
  json object = aJob();
  object["spec"]["worker"]["template"]["spec"]["deep"] = std::move(deep);

  const TrainingJob job = read(object);

  BOOST_TEST(job.document->empty());
  BOOST_TEST(!job.spec_problem.empty());
  BOOST_TEST(job.template_hash.empty());
}

BOOST_AUTO_TEST_CASE(a_spec_above_262144_bytes_is_not_kept) {
  json object = aJob();
  json& note = object["spec"]["worker"]["template"]["metadata"]["annotations"]["note"];
  note = "";
  const std::string hash = read(object).template_hash;
  note = std::string(262'144 - object["spec"].dump().size(), 'x');
  BOOST_TEST(object["spec"].dump().size() == 262'144U);
  BOOST_TEST(json((*read(object).document)["spec"]) == object["spec"]);
  BOOST_TEST(read(object).spec_problem.empty());

  note = note.get<std::string>() + "x";
  const TrainingJob refused = read(object);

  BOOST_TEST(refused.document->empty());
  BOOST_TEST(refused.spec_problem == "larger than 262144 bytes");
  BOOST_TEST(refused.template_hash != hash);  // a change of a template is seen
}

BOOST_AUTO_TEST_CASE(wrong_types_are_refused_by_the_name_of_the_field) {
  json object = aJob();
  object["spec"]["runPolicy"]["backoffLimit"] = "three";
  const auto job = jobFromJson(object);
  BOOST_TEST_REQUIRE(!job.has_value());
  test::checkGolden("kube/api/job_json.txt", job.error().message + "\n");
}

BOOST_AUTO_TEST_CASE(a_version_of_lists_however_deep_is_none) {
  json object = aJob();
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  object["apiVersion"] = json::parse(deep);
  object["kind"] = json::parse(deep);
  BOOST_TEST((*read(object).document)["apiVersion"] == "");
}

BOOST_AUTO_TEST_CASE(a_status_update_names_its_object_and_version_and_leaves_out_the_spec) {
  const TrainingJob job = read(aJob());
  JobStatus status;
  status.state = "Created";

  const json update = statusUpdate(job, status);

  BOOST_TEST(update["metadata"] == json::parse(R"({"name": "lenet5", "namespace": "research",
      "uid": "j-1", "resourceVersion": "5"})"));
  BOOST_TEST(update["kind"] == "TrainingJob");
  BOOST_TEST(update["status"]["state"] == "Created");
  BOOST_TEST(!update.contains("spec"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::api::job_json_test
