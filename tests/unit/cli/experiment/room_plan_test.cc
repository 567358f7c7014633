#include "cli/experiment/room_plan.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::room_plan_test {
namespace {

using nlohmann::json;

const ExperimentMark kMark{"study", "0123456789"};

std::vector<std::string> namesOf(const std::vector<api::Pod>& pods) {
  std::vector<std::string> names;
  for (const api::Pod& pod : pods)
    names.push_back(pod.meta.key.name);
  return names;
}

/// A job with a server and so many workers.
std::vector<api::Pod> podsOfJob(int workers) {
  std::vector<api::Pod> pods{podOf(podObject("server", 0, 0, "job"))};
  for (int i = 0; i < workers; ++i)
    pods.push_back(podOf(podObject("worker", i, 0, "job")));
  return pods;
}

json quotaOf(const ExperimentMark& mark, const json& status = json::object()) {
  json quota = quotaObject(mark, {"job", "uid-job"}, 3);
  quota["metadata"]["uid"] = "uid-quota";
  quota["status"] = status;
  return quota;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(room_plan)

BOOST_AUTO_TEST_CASE(the_workers_with_the_highest_indices_go_the_highest_first) {
  BOOST_TEST(namesOf(workersAbove(podsOfJob(4), 2)) ==
                 (std::vector<std::string>{"job-worker-3", "job-worker-2"}),
             boost::test_tools::per_element());
  for (const int room : {4, 5, 1'000'000})
    BOOST_TEST(workersAbove(podsOfJob(4), room).empty(), room);
  BOOST_TEST(workersAbove({}, 1).empty());
}

BOOST_AUTO_TEST_CASE(pods_that_end_take_no_room) {
  auto pods = podsOfJob(4);
  pods[4].meta.deleted = at("12:00:00");
  pods[3].phase = api::PodPhase::kFailed;
  pods[2].phase = api::PodPhase::kSucceeded;
  BOOST_TEST(workersAbove(pods, 1).empty());
  pods[2].phase = api::PodPhase::kPending;
  BOOST_TEST(namesOf(workersAbove(pods, 1)) == std::vector<std::string>{"job-worker-1"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_quota_is_the_experiments_and_goes_with_its_job) {
  BOOST_TEST(quotaObject(kMark, {"job", "uid-job"}, 3) == json::parse(R"({
    "apiVersion": "v1", "kind": "ResourceQuota",
    "metadata": {"name": "sumac-experiment-0123456789",
      "labels": {"sumac.dev/experiment": "study", "sumac.dev/experiment-folder": "0123456789"},
      "ownerReferences": [{"apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob",
                           "name": "job", "uid": "uid-job"}]},
    "spec": {"hard": {"pods": "3"}}})"));
  BOOST_TEST(isOf(kMark, quotaOf(kMark)));
  BOOST_TEST(!isOf(kMark, quotaOf({"study", "9876543210"})));
  BOOST_TEST(!isOf(kMark, json::parse(R"({"metadata":{"labels":[]}})")));
}

// Kubernetes admits by what its controller has put there.
BOOST_AUTO_TEST_CASE(a_quota_is_in_force_when_its_status_says_so) {
  const auto says = [](const char* status) {
    return isInForce(quotaOf(kMark, json::parse(status)), 3);
  };
  BOOST_TEST(says(R"({"hard":{"pods":"3"},"used":{"pods":"5"}})"));
  BOOST_TEST(!says(R"({"hard":{"pods":"5"},"used":{"pods":"5"}})"));
  BOOST_TEST(!says(R"({"hard":{"pods":"3"}})"));
  BOOST_TEST(!says(R"({"hard":{"pods":3},"used":[]})"));
  BOOST_TEST(!says("{}"));
}

BOOST_AUTO_TEST_CASE(a_quota_that_is_there_before_was_left_unless_its_job_goes_on) {
  const std::vector quotas{quotaOf(kMark), quotaOf({"dead", "1111111111"}),
                           quotaOf({"other", "2222222222"}),
                           json::parse(R"({"metadata":{"name":"few","uid":"u"}})")};
  const auto found = foundQuotas(
      quotas, kMark, {{"study-1", "study", "0123456789"}, {"other-7", "other", "2222222222"}});
  BOOST_TEST_REQUIRE(found.size() == 3U);
  BOOST_TEST(!found[0].used_by);
  BOOST_TEST(found[0].uid == "uid-quota");
  BOOST_TEST(!found[1].used_by);
  BOOST_TEST(found[1].experiment == "dead");
  BOOST_TEST_REQUIRE(found[2].used_by.has_value());
  test::checkGolden("cli/experiment/room/used.txt", usedQuotaText(found[2], "research") + "\n");
}

BOOST_AUTO_TEST_CASE(other_pods_that_have_not_ended_are_named) {
  auto pods = podsOfJob(1);
  BOOST_TEST(otherPodsText(pods, {"job"}, "research") == "");
  for (const char* name : {"web-1", "web-0", "db-0", "cache-0", "batch-0"}) {
    pods.emplace_back().meta.key = {"research", name};
    pods.back().phase = api::PodPhase::kRunning;
  }
  pods.back().phase = api::PodPhase::kSucceeded;
  test::Transcript transcript;
  transcript.add("three of four", otherPodsText(pods, {"job"}, "research") + "\n");
  pods.resize(3);
  transcript.add("one", otherPodsText(pods, {"job"}, "research") + "\n");
  transcript.add("a job of nobody's", otherPodsText(podsOfJob(1), {}, "research") + "\n");
  test::checkGolden("cli/experiment/room/other_pods.txt", transcript.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::room_plan_test
