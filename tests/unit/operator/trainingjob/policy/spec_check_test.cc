#include "operator/trainingjob/policy/spec_check.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::spec_check_test {
namespace {

const SpecProblem kInvalid{SpecProblemKind::kInvalid,
                           "spec.model: layer conv9 is not known\nspec.data: no such file"};
const SpecProblem kSpoiltTemplate{SpecProblemKind::kTemplate,
                                  "spec.worker.template.spec.containers: no list"};

struct SpecCheck : JobFixture {
  void suspendWholly() {
    job.suspend = true;
    settle();
    pods.clear();
    settle();
  }
};

BOOST_FIXTURE_TEST_SUITE(invalid_spec, SpecCheck)

BOOST_AUTO_TEST_CASE(fails_the_job_with_the_whole_message_and_makes_nothing) {
  for (const SpecProblem& problem : {kInvalid, kSpoiltTemplate}) {
    SpecCheck fresh;
    fresh.observed.problem = problem;
    fresh.settle();
    BOOST_TEST(fresh.status_writes == 1);
    BOOST_TEST(fresh.status().state == "Failed");
    BOOST_TEST(fresh.condition("Failed").reason == "InvalidSpec");
    BOOST_TEST(fresh.condition("Failed").message == problem.message);
    BOOST_TEST(fresh.creations == 0);
    BOOST_TEST(!fresh.status().start_time.has_value());
  }
}

BOOST_AUTO_TEST_CASE(fails_a_job_that_was_accepted_and_has_not_begun) {
  pass();
  observed.problem = kInvalid;
  settle();
  BOOST_TEST(status().state == "Failed");
  BOOST_TEST(condition("Failed").reason == "InvalidSpec");
}

BOOST_AUTO_TEST_CASE(in_a_template_of_a_job_that_has_not_begun_waits_for_a_correction) {
  job.suspend = true;
  settle();
  observed.problem = kSpoiltTemplate;
  job.suspend = false;
  settle();
  BOOST_TEST(status().state == "Pending");
  BOOST_TEST(condition("Running").reason == "InvalidTemplate");
  BOOST_TEST(creations == 0);

  observed.problem.reset();
  start();
  BOOST_TEST(status().state == "Running");
}

BOOST_AUTO_TEST_CASE(found_by_a_later_operator_leaves_a_running_job_alone) {
  start();
  observed.problem = kInvalid;
  observed.config_map = ChildState::kMissing;  // and even the record is lost
  created.clear();
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(deleted.empty());

  end(kWorker1, 139);
  replacePods();

  BOOST_TEST(status().state == "Restarting");
  BOOST_TEST(condition("Running").reason == "InvalidSpec");
  BOOST_TEST(condition("Running").message == kInvalid.message);
  BOOST_TEST(hasEvent("InvalidSpec"));
  BOOST_TEST(created.empty());

  observed.problem.reset();
  start();
  BOOST_TEST(status().state == "Running");
}

BOOST_AUTO_TEST_CASE(of_a_later_version_waits_for_an_operator_that_knows_it) {
  observed.problem = SpecProblem{SpecProblemKind::kNewer, "spec.training.pace: unknown field"};
  settle();
  BOOST_TEST(status().state == "Pending");
  BOOST_TEST(condition("Running").reason == "NewerDocument");
  BOOST_TEST(condition("Running").message.ends_with("spec.training.pace: unknown field"));
  BOOST_TEST(events.size() == 1);
  BOOST_TEST(hasEvent("NewerDocument"));
  BOOST_TEST(creations == 0);

  observed.problem.reset();
  start();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().server.desired == 1);
}

BOOST_AUTO_TEST_CASE(in_a_template_does_not_disturb_what_runs) {
  start();
  observed.problem = kSpoiltTemplate;
  settle();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(!hasEvent("InvalidTemplate"));
}

BOOST_AUTO_TEST_CASE(in_a_template_spoilt_while_suspended_waits_for_a_correction) {
  start();
  suspendWholly();
  observed.problem = kSpoiltTemplate;
  created.clear();
  job.suspend = false;
  settle();

  BOOST_TEST(status().state == "Pending");
  BOOST_TEST(condition("Running").reason == "InvalidTemplate");
  BOOST_TEST(condition("Running").message.starts_with(kSpoiltTemplate.message));
  BOOST_TEST(hasEvent("InvalidTemplate"));
  BOOST_TEST(created.empty());

  suspendWholly();
  observed.problem.reset();
  job.suspend = false;
  start();
  BOOST_TEST(status().state == "Running");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::spec_check_test
