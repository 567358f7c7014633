#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "kube/api/json.h"

namespace sumac::api::status_json_test {
namespace {

using nlohmann::json;

constexpr WallTime kNoon{std::chrono::microseconds(1'769'860'800'000'000)};

JobStatus aFullStatus() {
  JobStatus status;
  status.observed_generation = 3;
  status.state = "Running";
  status.workers = "1/2";
  status.attempt = 2;
  status.restarts = 2;
  status.replaced = 1;
  status.disruptions = 4;
  status.recovery = {1, 900, {"u-1", "u-2"}, 3, kNoon, {{"worker-3", 2, kNoon, true}}};
  status.resizes = 5;
  status.scale = {2, kNoon, RefusedScale{4, 3, kNoon + std::chrono::minutes(2), 5, "no room"}};
  status.membership = {2, 5, 7, 3};
  status.autoscaling = AutoscalingStatus{
      .workers_wanted = 4,
      .reason = "SavesTime",
      .message = "4 workers end sooner",
      .last_change = kNoon,
      .first_start = kNoon - std::chrono::hours(1),
      .worker_seconds = 7200,
      .server_seconds = 3600,
      .accounted = kNoon,
      .observations = {{2, 300, 0.125, 0.1, kNoon}, {4, 30, 0.07, 0.05, kNoon}},
      .most = 8,
      .changes = 1,
      .settled_step_seconds = 0.07,
      .room = AutoscalingRoom{4, kNoon + std::chrono::minutes(5), 2, "few", "pods=1"},
      .pauses = 3,
      .pause_seconds = 0.25};
  status.conditions = {
      {"Running", ConditionStatus::kTrue, 3, kNoon, "PodsReady", "all pods are ready"},
      {"Failed", ConditionStatus::kFalse, 3, kNoon, "NotFinished", ""},
      {"Suspended", ConditionStatus::kUnknown, 3, kNoon, "Unknown", ""}};
  status.worker = {2, 2, 1, 0, 1};
  status.server = {1, 1, 1, 0, 0};
  status.worker_selector = "sumac.dev/job-name=a";
  status.coordinator = "a-server-0";
  Progress& progress = status.progress.emplace();
  progress.step = 10;
  progress.total_steps = 20;
  progress.epoch = 1;
  progress.loss = 0.5;
  progress.last_update = kNoon;
  JobResult& result = status.result.emplace();
  result.steps = 20;
  result.loss = 0.1;
  result.parameters_sha256 = std::string(64, 'a');
  result.model_path = "/m";
  status.last_failure = LastFailure{"a-worker-0", "u-2", "OOMKilled", 137, "killed", kNoon};
  status.operator_version = "0.1.0";
  status.template_hash = std::string(64, 'f');
  status.start_time = kNoon;
  status.completion_time = kNoon + std::chrono::hours(1);
  status.last_scale_time = kNoon + std::chrono::minutes(1);
  return status;
}

JobStatus readBack(const json& status) {
  const json object{{"metadata", {{"name", "a"}, {"uid", "u"}}}, {"status", status}};
  const auto job = jobFromJson(object);
  BOOST_REQUIRE_MESSAGE(job.has_value(), (job ? "" : job.error().message));
  return job->status;
}

BOOST_AUTO_TEST_SUITE(status_json)

BOOST_AUTO_TEST_CASE(a_full_status_reads_back_as_it_was_written) {
  BOOST_TEST((readBack(toJson(aFullStatus())) == aFullStatus()));
}

BOOST_AUTO_TEST_CASE(an_empty_status_reads_back_and_has_no_empty_texts) {
  const json written = toJson(JobStatus());

  BOOST_TEST((readBack(written) == JobStatus()));
  for (const char* name :
       {"state", "startTime", "progress", "result", "lastFailure", "scale", "autoscaling"}) {
    BOOST_TEST_CONTEXT(name) BOOST_TEST(!written.contains(name));
  }
}

BOOST_AUTO_TEST_CASE(conditions_are_found_by_their_type) {
  const JobStatus status = aFullStatus();
  BOOST_TEST(status.isTrue("Running"));
  BOOST_TEST(!status.isTrue("Failed"));
  BOOST_TEST(!status.isTrue("Suspended"));
  BOOST_TEST(status.find("Created") == nullptr);
  BOOST_TEST(!status.isFinished());
}

BOOST_AUTO_TEST_CASE(texts_longer_than_the_schema_allows_are_cut) {
  JobStatus status = aFullStatus();
  status.last_failure->message = std::string(5000, 'x');
  status.last_failure->reason = std::string(300, 'x');
  status.conditions[0].message = std::string(40'000, 'x');
  status.scale.refused->message = std::string(2000, 'x');
  status.autoscaling->message = std::string(2000, 'x');
  status.autoscaling->observations.resize(20);

  const json written = toJson(status);

  BOOST_TEST(written["lastFailure"]["message"].get<std::string>().size() == 4096U);
  BOOST_TEST(written["lastFailure"]["reason"].get<std::string>().size() == 253U);
  BOOST_TEST(written["conditions"][0]["message"].get<std::string>().size() == 32768U);
  BOOST_TEST(written["scale"]["refused"]["message"].get<std::string>().size() == 1024U);
  BOOST_TEST(written["autoscaling"]["message"].get<std::string>().size() == 1024U);
  BOOST_TEST(written["autoscaling"]["observations"].size() == 16U);
}

BOOST_AUTO_TEST_CASE(decimals_that_are_none_say_nothing) {
  json written = toJson(aFullStatus());
  json& autoscaling = written["autoscaling"];
  for (const json& wrong :
       {json("NaN"), json("-inf"), json("1e999"), json("four"), json(nullptr)}) {
    autoscaling["observations"][0]["stepSeconds"] = wrong;
    autoscaling["search"]["settledStepSeconds"] = wrong;
    const AutoscalingStatus read = *readBack(written).autoscaling;
    BOOST_TEST(read.observations[0].step_seconds == 0);
    BOOST_TEST(read.settled_step_seconds == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_status_with_wrong_types_is_refused) {
  json object{{"metadata", {{"name", "a"}, {"uid", "u"}}},
              {"status", {{"conditions", {{{"type", "Running"}, {"status", true}}}}}}};
  const auto job = jobFromJson(object);
  BOOST_TEST_REQUIRE(!job.has_value());
  BOOST_TEST(job.error().message ==
             "TrainingJob /a: status.conditions[0].status: found true, must be text");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::api::status_json_test
