#include "operator/trainingjob/policy/creation.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::creation_test {

BOOST_AUTO_TEST_SUITE(creation)

BOOST_FIXTURE_TEST_CASE(makes_the_secret_of_the_token_without_encryption_too, JobFixture) {
  record.is_encrypted = false;
  settle();
  BOOST_CHECK(observed.secret == ChildState::kPresent);
  BOOST_TEST(created.size() == 3);
}

BOOST_FIXTURE_TEST_CASE(makes_no_secret_where_the_job_has_neither_keys_nor_token, JobFixture) {
  record.is_encrypted = false;
  record.has_token = false;
  settle();
  BOOST_CHECK(observed.secret == ChildState::kMissing);
  BOOST_TEST(created.size() == 3);
}

BOOST_FIXTURE_TEST_CASE(makes_a_child_again_that_somebody_deleted, JobFixture) {
  start();
  observed.service = ChildState::kMissing;
  const Decision decision = pass();
  BOOST_REQUIRE(decision.actions.size() == 1);
  BOOST_CHECK(decision.actions.front() == Action(CreateChild{Child::kService}));
}

BOOST_FIXTURE_TEST_CASE(does_not_ask_for_keys_again_while_all_pods_are_there, JobFixture) {
  start();
  observed.secret = ChildState::kMissing;  // after a restart the operator does not know: no rights
  BOOST_TEST(look().actions.empty());
}

BOOST_FIXTURE_TEST_CASE(waits_while_a_child_is_on_its_way_out, JobFixture) {
  pass();
  observed.config_map = ChildState::kDeleting;
  settle();
  BOOST_TEST(created.empty());
  observed.config_map = ChildState::kMissing;
  settle();
  BOOST_TEST(created.size() == 3);
}

BOOST_FIXTURE_TEST_CASE(says_whose_name_is_taken, JobFixture) {
  observed.service = ChildState::kForeign;
  settle();
  BOOST_TEST(created.empty());
  BOOST_TEST(condition("Running").reason == "NameTaken");
  test::checkGolden("operator/policy/name_taken.txt", condition("Running").message + "\n");
  BOOST_TEST(events.size() == 1);
  observed.service = ChildState::kMissing;
  start();
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(makes_no_pod_while_a_foreign_one_has_a_name_of_ours, JobFixture) {
  observed.foreign_pods = {"lenet5-worker-1"};
  settle();
  BOOST_TEST(created.empty());
  BOOST_TEST(condition("Running").reason == "NameTaken");
  BOOST_TEST(condition("Running").message.starts_with("Pod lenet5-worker-1 exists"));
}

BOOST_FIXTURE_TEST_CASE(does_not_mind_foreign_pods_with_other_names, JobFixture) {
  observed.foreign_pods = {"lenet5-worker-2"};
  start();
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(uses_no_template_that_changed_while_the_job_was_active, JobFixture) {
  start();
  job.template_hash = "other";
  settle();
  BOOST_TEST(status().state == "Running");  // what runs goes on

  end(kWorker1, 139);
  restartFully();

  BOOST_TEST(pods.empty());
  BOOST_TEST(condition("Running").reason == "TemplateChanged");
  job.suspend = true;
  settle();
  job.suspend = false;
  start();
  BOOST_TEST(status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(fills_up_what_a_cut_pass_left_out, JobFixture) {
  settle();
  remove(kWorker0);
  remove(kServer0);
  created.clear();
  settle();
  const std::vector<std::string> expected = {"server-0/0", "worker-0/0"};
  BOOST_TEST(created == expected, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(corrects_a_size_that_was_decided_before_the_record_was_known, JobFixture) {
  job.worker_replicas = 4;
  pass();
  record.logical_workers = 2;  // as the ConfigMap of an earlier operator has it

  const Decision decision = pass();

  BOOST_TEST(decision.actions.empty());
  BOOST_TEST(status().worker.desired == 2);
  BOOST_TEST(hasEvent("WorkersLimited"));
  start();
  BOOST_TEST(status().workers == "2/2");
}

BOOST_FIXTURE_TEST_CASE(deletes_pods_beyond_the_size_of_the_job, JobFixture) {
  start();
  api::Pod extra = pod(kWorker1);
  extra.slot.index = 7;
  extra.meta.uid = "extra";
  extra.meta.key.name = "lenet5-worker-7";
  pods.push_back(extra);
  settle();
  const std::vector<std::string> expected = {"lenet5-worker-7"};
  BOOST_TEST(deleted == expected, boost::test_tools::per_element());
  BOOST_TEST(status().state == "Running");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::creation_test
