#include "operator/trainingjob/policy/failure.h"

#include <limits>
#include <ostream>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob {

std::ostream& operator<<(std::ostream& out, FailureKind kind) {
  constexpr const char* kNames[] = {"for good", "own", "disruption", "missing", "consequence"};
  return out << kNames[static_cast<int>(kind)];
}

}  // namespace sumac::trainingjob

namespace sumac::trainingjob::failure_test {

namespace {

struct EndCase {
  const char* name;
  int code;
  const char* container_reason;
  const char* pod_reason;
  const char* disruption;
  bool is_deleted;
  FailureKind kind;
  const char* reason;
};

std::ostream& operator<<(std::ostream& out, const EndCase& end) {
  return out << end.name;
}

constexpr auto kForGood = FailureKind::kForGood;
constexpr auto kOwn = FailureKind::kOwn;
constexpr auto kDisruption = FailureKind::kDisruption;
constexpr auto kConsequence = FailureKind::kConsequence;

// docs/exit-codes.md and docs/design/job-life.md#exit-codes.
const EndCase kEnds[] = {
    {"failed for good", 1, "Error", "", "", false, kForGood, "FailedForGood"},
    {"usage", 2, "Error", "", "", false, kForGood, "UsageError"},
    {"bad configuration", 78, "Error", "", "", false, kForGood, "BadConfiguration"},
    {"a resource failed", 74, "Error", "", "", false, kOwn, "ResourceFailed"},
    {"broken invariant", 134, "Error", "", "", false, kOwn, "BrokenInvariant"},
    {"segmentation fault", 139, "Error", "", "", false, kOwn, "KilledBySignal"},
    {"killed", 137, "Error", "", "", false, kOwn, "KilledBySignal"},
    {"out of memory", 137, "OOMKilled", "", "", false, kOwn, "OOMKilled"},
    {"out of memory, code 1", 1, "OOMKilled", "", "", false, kOwn, "OOMKilled"},
    {"a code that is not listed", 3, "Error", "", "", false, kOwn, "UnknownExitCode"},
    {"no such executable", 128, "StartError", "", "", false, kOwn, "StartError"},
    {"no such executable, of Docker", 127, "ContainerCannotRun", "", "", false, kOwn, "StartError"},
    {"the largest code", 255, "Error", "", "", false, kOwn, "UnknownExitCode"},
    {"interrupted, sumac's only", 130, "Error", "", "", false, kOwn, "KilledBySignal"},
    {"lost its peers", 75, "Error", "", "", false, kConsequence, "LostPeers"},
    {"asked to stop", 143, "Error", "", "", false, kConsequence, "Stopped"},
    {"exit 0 without a result", 0, "Completed", "", "", false, kConsequence, "NoResult"},
    {"evicted for its own storage limit", 137, "Error", "Evicted", "", false, kOwn, "Evicted"},
    {"evicted so, with code 1", 1, "Error", "Evicted", "", false, kOwn, "Evicted"},
    {"evicted so, then deleted", 137, "Error", "Evicted", "", true, kOwn, "Evicted"},
    {"evicted so, container lost", 137, "ContainerStatusUnknown", "Evicted", "", false, kOwn,
     "Evicted"},
    {"evicted for the node's lack of memory", 137, "Error", "Evicted", "TerminationByKubelet",
     false, kDisruption, "TerminationByKubelet"},
    {"container lost by the node", 137, "ContainerStatusUnknown", "", "", false, kDisruption,
     "ContainerStatusUnknown"},
    {"preempted", 143, "Error", "Preempted", "", false, kDisruption, "Preempted"},
    {"preempted by the scheduler", 143, "Error", "", "PreemptionByScheduler", false, kDisruption,
     "PreemptionByScheduler"},
    {"disruption without a word", 143, "Error", "", "not a word", false, kDisruption, "Disrupted"},
    {"node lost", 137, "Error", "NodeLost", "", false, kDisruption, "NodeLost"},
    {"node shut down", 143, "Error", "NodeShutdown", "", false, kDisruption, "NodeShutdown"},
    {"spot node shut down", 143, "Error", "Terminated", "", false, kDisruption, "Terminated"},
    {"deleted by somebody, stopped", 143, "Error", "", "", true, kDisruption, "PodDeleted"},
    {"deleted by somebody, killed", 137, "Error", "", "", true, kDisruption, "PodDeleted"},
    {"failed for good, then deleted", 78, "Error", "", "", true, kForGood, "BadConfiguration"},
    {"past the deadline of the pod", 143, "Error", "DeadlineExceeded", "", false, kOwn,
     "DeadlineExceeded"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(failure)

BOOST_DATA_TEST_CASE(follows_from_how_a_pod_ended, boost::unit_test::data::make(kEnds), end) {
  JobFixture fixture;
  fixture.start();
  fixture.end(kWorker1, end.code);
  api::Pod& pod = fixture.pod(kWorker1);
  pod.terminated->reason = end.container_reason;
  pod.reason = end.pod_reason;
  pod.disruption = end.disruption;
  if (end.is_deleted) pod.meta.deleted = fixture.now;

  const auto failure = failureOf(pod);

  BOOST_REQUIRE(failure.has_value());
  BOOST_TEST(failure->kind == end.kind);
  BOOST_TEST(failure->reason == end.reason);
  BOOST_TEST(failure->pod_name == "lenet5-worker-1");
  BOOST_TEST(failure->exit_code.value_or(-1) == end.code);
}

BOOST_FIXTURE_TEST_CASE(is_none_while_a_pod_waits_or_runs_or_ended_with_a_result, JobFixture) {
  settle();
  BOOST_TEST(!failureOf(pod(kWorker1)).has_value());
  makeReady();
  BOOST_TEST(!failureOf(pod(kWorker1)).has_value());
  end(kWorker1, 0, kResult);
  BOOST_TEST(!failureOf(pod(kWorker1)).has_value());
}

BOOST_FIXTURE_TEST_CASE(is_a_disruption_as_soon_as_somebody_asks_for_the_deletion, JobFixture) {
  start();
  askDeletion(kWorker1);
  const auto failure = failureOf(pod(kWorker1));
  BOOST_REQUIRE(failure.has_value());
  BOOST_TEST(failure->kind == kDisruption);
  BOOST_CHECK(failure->time == now);
}

BOOST_FIXTURE_TEST_CASE(has_a_time_whatever_grace_the_template_asked_for, JobFixture) {
  start();
  askDeletion(kWorker1);
  pod(kWorker1).grace_seconds = std::numeric_limits<std::int64_t>::max();
  const auto failure = failureOf(pod(kWorker1));
  BOOST_REQUIRE(failure.has_value());
  BOOST_CHECK(failure->time < now);
}

BOOST_AUTO_TEST_CASE(carries_the_words_of_process_runtime_and_node) {
  struct Case {
    const char* name;
    int code;
    const char* words;
    const char* container_reason = "Error";
    const char* pod_reason = "";
    const char* pod_message = "";
  };
  const Case cases[] = {
      {"an exit code", 78, "spec.model: layer conv9 is not known"},
      {"a signal, with the end of a log", 137,
       "age\":\"a line that is cut at the front\"}\n"
       R"({"time":"2026-01-02T03:04:05Z","severity":"INFO","message":"step done","step":7})"
       "\n"},
      {"a signal", 139, ""},
      {"no such program", 128, "exec: \"trane\": executable file not found in $PATH", "StartError"},
      {"lack of memory", 137, "", "OOMKilled"},
      {"the pod's own storage limit", 137, "", "Error", "Evicted",
       "Container sumac exceeded its local ephemeral storage limit \"1Gi\"."}};
  test::Transcript said;
  for (const Case& each : cases) {
    JobFixture fixture;
    fixture.start();
    fixture.end(kWorker1, each.code, each.words);
    api::Pod& pod = fixture.pod(kWorker1);
    pod.terminated->reason = each.container_reason;
    pod.reason = each.pod_reason;
    pod.message = each.pod_message;
    const auto failure = failureOf(pod);
    BOOST_TEST_REQUIRE(failure.has_value(), each.name);
    said.add(each.name, failure->message);
  }
  test::checkGolden("operator/policy/failures.txt", said.text());
}

BOOST_FIXTURE_TEST_CASE(of_a_pod_that_a_node_did_not_admit_has_the_nodes_words, JobFixture) {
  settle();
  pod(kWorker0).phase = api::PodPhase::kFailed;
  pod(kWorker0).reason = "OutOfcpu";
  pod(kWorker0).message = "Node didn't have enough resource: cpu";
  const auto failure = failureOf(pod(kWorker0));
  BOOST_REQUIRE(failure.has_value());
  BOOST_TEST(failure->kind == kDisruption);
  BOOST_TEST(failure->reason == "OutOfcpu");
  BOOST_TEST(failure->message.ends_with(": " + pod(kWorker0).message));
  BOOST_TEST(!failure->exit_code.has_value());
}

struct AdmissionCase {
  const char* pod_reason;
  FailureKind kind;
  const char* reason;
};

std::ostream& operator<<(std::ostream& out, const AdmissionCase& each) {
  return out << each.pod_reason;
}

// Reasons of kubelets for pods that never started.
const AdmissionCase kAdmissions[] = {
    {"OutOfmemory", kDisruption, "OutOfmemory"},
    {"OutOfpods", kDisruption, "OutOfpods"},
    {"OutOfephemeral-storage", kDisruption, "Disrupted"},  // no word for a condition
    {"NodeAffinity", kDisruption, "NodeAffinity"},
    {"TaintToleration", kDisruption, "TaintToleration"},
    {"TopologyAffinityError", kDisruption, "TopologyAffinityError"},
    {"UnexpectedAdmissionError", kDisruption, "UnexpectedAdmissionError"},
    {"NodeShutdown", kDisruption, "NodeShutdown"},
    {"Evicted", kDisruption, "Evicted"},  // "The node had condition: [DiskPressure]"
    {"SysctlForbidden", kOwn, "SysctlForbidden"},
    {"AppArmor", kOwn, "AppArmor"},
};

BOOST_DATA_TEST_CASE(of_a_pod_that_never_started_follows_from_the_nodes_word,
                     boost::unit_test::data::make(kAdmissions), each) {
  JobFixture fixture;
  fixture.settle();
  fixture.pod(kWorker0).phase = api::PodPhase::kFailed;
  fixture.pod(kWorker0).reason = each.pod_reason;
  const auto failure = failureOf(fixture.pod(kWorker0));
  BOOST_REQUIRE(failure.has_value());
  BOOST_TEST(failure->kind == each.kind);
  BOOST_TEST(failure->reason == each.reason);
}

BOOST_AUTO_TEST_CASE(takes_only_words_for_reasons) {
  BOOST_TEST(reasonOr("Evicted", "Other") == "Evicted");
  BOOST_TEST(reasonOr("", "Other") == "Other");
  BOOST_TEST(reasonOr("1st", "Other") == "Other");
  BOOST_TEST(reasonOr("two words", "Other") == "Other");
  BOOST_TEST(reasonOr(std::string(254, 'a'), "Other") == "Other");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::failure_test
