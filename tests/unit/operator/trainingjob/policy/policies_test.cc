#include "operator/trainingjob/policy/policies.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::policies_test {

BOOST_AUTO_TEST_SUITE(plan_of_a_happy_job)

BOOST_FIXTURE_TEST_CASE(writes_a_status_before_it_makes_anything, JobFixture) {
  const Decision first = pass();

  BOOST_REQUIRE(first.status.has_value());
  BOOST_TEST(first.actions.empty());
  BOOST_TEST(status().isTrue("Created"));
  BOOST_TEST(status().state == "Pending");
  BOOST_TEST(status().conditions.size() == 6);
  BOOST_TEST(status().attempt == 0);
  BOOST_TEST(status().worker.desired == 2);
  BOOST_TEST(status().server.desired == 1);
  BOOST_TEST(status().workers == "0/2");
  BOOST_TEST(status().worker_selector == "sumac.dev/job-name=lenet5,sumac.dev/role=worker");
  BOOST_TEST(status().coordinator == "lenet5-server-0");
  BOOST_TEST(status().template_hash == "templates");
  BOOST_TEST(status().operator_version == "1.0.0");
  BOOST_TEST(status().observed_generation == 1);
  BOOST_CHECK(status().start_time == now);
}

BOOST_FIXTURE_TEST_CASE(says_from_the_beginning_that_the_model_will_be_lost, JobFixture) {
  record.keeps_output = false;
  pass();
  BOOST_TEST(condition("Created").message.find("spec.output") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(makes_children_before_pods, JobFixture) {
  pass();

  const Decision second = pass();

  BOOST_TEST(!second.status.has_value());
  BOOST_REQUIRE(second.actions.size() == 7);
  BOOST_CHECK(second.actions[0] == Action(CreateChild{Child::kService}));
  BOOST_CHECK(second.actions[1] == Action(CreateChild{Child::kConfigMap}));
  BOOST_CHECK(second.actions[2] == Action(CreateChild{Child::kNetworkPolicy}));
  BOOST_CHECK(second.actions[3] == Action(CreateChild{Child::kSecret}));
  BOOST_CHECK(second.actions[4] == Action(CreatePod{kServer0, 0, 2}));
  BOOST_CHECK(second.actions[5] == Action(CreatePod{kWorker0, 0, 2}));
  BOOST_CHECK(second.actions[6] == Action(CreatePod{kWorker1, 0, 2}));
}

BOOST_FIXTURE_TEST_CASE(runs_when_all_pods_are_ready_and_not_before, JobFixture) {
  settle();
  makeReady();
  pod(kWorker1).is_ready = false;
  settle();
  BOOST_TEST(status().state == "Pending");

  pod(kWorker1).is_ready = true;
  settle();

  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().isTrue("Running"));
  BOOST_TEST(status().workers == "2/2");
  BOOST_TEST(status().worker.active == 2);
  BOOST_TEST(status().server.ready == 1);
}

BOOST_FIXTURE_TEST_CASE(succeeds_with_the_first_member_that_wrote_the_result, JobFixture) {
  start();
  end(kWorker0, 0, kResult);

  const Decision last = pass();

  BOOST_TEST(last.actions.empty());
  BOOST_TEST(status().state == "Succeeded");
  BOOST_TEST(status().isTrue("Succeeded"));
  BOOST_TEST(condition("Failed").message == condition("Succeeded").message);
  BOOST_TEST(condition("Running").message == condition("Succeeded").message);  // column Message
  BOOST_TEST(!status().isTrue("Running"));
  BOOST_TEST(status().result->steps == 1200);
  BOOST_TEST(status().result->loss.value() == 0.31);
  BOOST_TEST(status().progress->percentage() == 100);
  BOOST_CHECK(status().completion_time == now);
  BOOST_TEST(status().worker.succeeded == 2);
  BOOST_TEST(status().worker.active == 0);
}

BOOST_FIXTURE_TEST_CASE(costs_three_status_writes_and_two_events, JobFixture) {
  start();
  for (const Slot slot : {kWorker0, kWorker1, kServer0}) {
    end(slot, 0, kResult);
    settle();
  }
  advance(seconds(3600));
  settle();

  BOOST_TEST(status_writes == 3);
  BOOST_TEST(creations == 7);
  BOOST_REQUIRE(events.size() == 2);
  BOOST_TEST(events[0].reason == "Running");
  BOOST_TEST(events[1].reason == "Completed");
}

BOOST_FIXTURE_TEST_CASE(of_eight_workers_and_two_servers_costs_fourteen_creates, JobFixture) {
  job.worker_replicas = 8;
  record.servers = 2;

  start();
  end({Role::kServer, 1}, 0, kResult);
  settle();

  BOOST_TEST(creations == 14);
  BOOST_TEST(status_writes == 3);
}

BOOST_AUTO_TEST_CASE(costs_exactly_that_a_thousand_times_over) {
  int creations = 0;
  int writes = 0;
  std::size_t events = 0;
  for (int i = 0; i < 1000; ++i) {
    JobFixture storm;
    storm.job.worker_replicas = 8;
    storm.record.servers = 2;
    storm.observed.running_jobs = 1000;
    storm.settle();
    while (std::any_of(storm.pods.begin(), storm.pods.end(),
                       [](const api::Pod& pod) { return !pod.is_ready; })) {
      storm.makeOneReady();  // a pass for each pod, as watches bring them
      storm.settle();
    }
    storm.end({Role::kWorker, i % 8}, 0, kResult);
    storm.settle();
    creations += storm.creations;
    writes += storm.status_writes;
    events += storm.events.size();
  }
  BOOST_TEST(creations == 14'000);
  BOOST_TEST(writes == 3'000);
  BOOST_TEST(events == 2'000U);
}

BOOST_FIXTURE_TEST_CASE(shows_every_10_s_how_many_pods_are_ready, JobFixture) {
  job.worker_replicas = 8;
  settle();
  const int before = status_writes;
  for (int i = 0; i < 4; ++i)
    makeOneReady();
  BOOST_CHECK(pass().again_after == Duration(seconds(10)));
  BOOST_TEST(status_writes == before);
  BOOST_TEST(status().workers == "0/8");

  advance(seconds(10));
  settle();

  BOOST_TEST(status_writes == before + 1);
  BOOST_TEST(status().worker.ready + status().server.ready == 4);
  BOOST_TEST(status().workers == std::to_string(status().worker.ready) + "/8");
  BOOST_TEST(status().state == "Pending");
  advance(seconds(100));
  settle();
  BOOST_TEST(status_writes == before + 1);
}

BOOST_FIXTURE_TEST_CASE(writes_nothing_while_nothing_changes, JobFixture) {
  start();
  const int before = status_writes;
  for (int i = 0; i < 100; ++i) {
    advance(seconds(10));
    const Decision decision = pass();
    BOOST_TEST(decision.actions.empty());
    BOOST_TEST(decision.events.empty());
  }
  BOOST_TEST(status_writes == before);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(plan_leaves_alone)

BOOST_FIXTURE_TEST_CASE(jobs_that_another_controller_manages, JobFixture) {
  job.managed_by = "kueue.x-k8s.io/multikueue";
  BOOST_TEST(!hasWork(look()));
}

BOOST_FIXTURE_TEST_CASE(jobs_that_are_being_deleted, JobFixture) {
  start();
  job.meta.deleted = now;
  endAll(139);
  BOOST_TEST(!hasWork(look()));
}

BOOST_FIXTURE_TEST_CASE(jobs_whose_pods_are_of_a_later_attempt_than_the_status, JobFixture) {
  start();
  pod(kWorker0).attempt = 1;
  end(kWorker0, 139);
  const Decision decision = look();
  BOOST_TEST(!decision.status.has_value());
  BOOST_TEST((decision.actions == std::vector<Action>{LookUpJob{}}));
  BOOST_TEST(decision.events.empty());
}

// Else somebody who edits a label would stop the job, or make it decide on attempts that no label
// holds.
BOOST_FIXTURE_TEST_CASE(no_job_because_a_label_names_an_attempt_that_it_never_had, JobFixture) {
  for (const int attempt : {7, 1'000'000'000, std::numeric_limits<int>::max()}) {
    JobFixture each = *this;
    each.start();
    each.pod(kWorker0).attempt = attempt;

    each.settle();

    BOOST_TEST(each.status().attempt == 1);
    BOOST_TEST(each.status().state == "Restarting");
    BOOST_TEST(each.status().recovery.failures == 0);
    test::checkGolden("operator/policy/edited_labels.txt",
                      each.condition("Restarting").message + "\n");
    each.restartFully();
    BOOST_TEST(each.status().state == "Running");
    BOOST_TEST(each.pod(kWorker0).attempt == 1);
  }
}

BOOST_FIXTURE_TEST_CASE(no_job_because_its_status_was_set_back, JobFixture) {
  start();
  for (api::Pod& each : pods)
    each.attempt = 7;

  settle();
  restartFully();

  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().attempt == 1);
}

BOOST_FIXTURE_TEST_CASE(no_job_whose_status_was_emptied_and_warn_that_it_begins_at_step_0,
                        JobFixture) {
  record.keeps_checkpoints = false;
  for (const auto& [label, attempt] : std::map<int, int>{{7, 8}, {1'000'000'000, 1}}) {
    JobFixture each = *this;
    each.start();
    each.pod(kWorker0).attempt = label;
    each.job.status = {};
    each.pass();
    BOOST_TEST(each.status().attempt == attempt);
    BOOST_TEST(each.hasEvent("NoCheckpoint"));
  }
}

BOOST_FIXTURE_TEST_CASE(jobs_whose_record_is_not_read_yet, JobFixture) {
  Observed seen = see();
  seen.record.reset();
  const Decision result = decide(seen, now);
  BOOST_TEST(!result.status.has_value());
  BOOST_TEST(result.actions.empty());
  BOOST_TEST(result.again_after.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::policies_test
