#include "operator/trainingjob/observe/observe.h"

#include <memory>

#include <boost/test/unit_test.hpp>

#include "kube/api/json.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob::observe_test {
namespace {

struct ObserveFixture : OperatorFixture {
  ObserveParts parts() {
    return {.client = cluster,
            .pods = cluster.pods,
            .quotas = quotas,
            .clock = clock,
            .progress = progress,
            .running_jobs = [] { return 1; },
            .defaults = defaults,
            .status_rate = 50,
            .operator_version = "0.1.0"};
  }
  std::shared_ptr<const api::TrainingJob> job() {
    return std::make_shared<const api::TrainingJob>(
        *api::jobFromJson(cluster.find(kube::kTrainingJobs, "lenet5")));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(observing, ObserveFixture)

// Thousands of finished jobs may be there.
BOOST_AUTO_TEST_CASE(a_finished_job_forgets_requests_and_look_ups) {
  submit(aManifest());
  settle();
  endPod("lenet5-worker-0", 0, kResultMessage);
  settle();
  BOOST_TEST(isTrue("Succeeded"));
  JobNotes notes;
  notes.failing["pod lenet5-worker-1"] = clock.now();
  notes.gone_pods.push_back({.slot = {Role::kWorker, 1}, .attempt = 0});
  notes.hold("pod lenet5-worker-1", clock.now(), kRefusedPause);

  BOOST_TEST(loadRecord(parts(), *job(), notes).has_value());

  BOOST_TEST(notes.failing.empty());
  BOOST_TEST(notes.gone_pods.empty());
  BOOST_TEST(notes.holds.empty());
}

BOOST_AUTO_TEST_CASE(a_pod_that_is_gone_leaves_nothing_of_its_deletion) {
  submit(aManifest());
  settle();
  const auto seen = job();
  const std::string uid =
      cluster.find(kube::kPods, "lenet5-worker-0")["metadata"]["uid"].get<std::string>();
  JobNotes notes;
  for (const std::string& each : {uid, std::string("gone")}) {
    notes.noteFailure(deletionOf(each), {}, clock.now());
    notes.hold(deletionOf(each), clock.now(), kRefusedPause);
    notes.deleting_uids.push_back(each);
    notes.forced_uids.push_back(each);
  }

  const Observed observed = observe(parts(), seen, notes);

  BOOST_TEST(notes.failing.size() == 1U);
  BOOST_TEST(notes.holds.size() == 1U);
  BOOST_TEST(notes.holds.contains(deletionOf(uid)));
  const std::vector<std::string> expected{uid};
  BOOST_TEST(observed.deleting_uids == expected, boost::test_tools::per_element());
  BOOST_TEST(observed.forced_uids == expected, boost::test_tools::per_element());
  BOOST_TEST(observed.held_uids == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::observe_test
