#include "cli/experiment/experiment_quota.h"

#include <memory>
#include <sstream>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/cli/experiment/quota_fixture.h"

namespace sumac::cli::experiment_quota_test {
namespace {

struct Fixture : QuotaFixture {
  ExperimentQuota& quota() {
    if (!made)
      made = std::make_unique<ExperimentQuota>(*cluster, mark, OwningJob{"job", "uid-job"});
    return *made;
  }
  std::string problemOf(const Result<void>& result) {
    return result ? std::string()
                  : test::replaced(result.error().message, cluster->server, "SERVER");
  }
  /// What an earlier process left, with a job of this state.
  void addLeftQuota(const ExperimentMark& whose) {
    nlohmann::json object = quotaObject(whose, {"job", "uid-job"}, 3);
    BOOST_REQUIRE(server.store().create(quotaTarget(""), object).status == 201);
  }
  void addJobOf(const ExperimentMark& whose, const std::string& state) {
    nlohmann::json object = jobObject(whose.experiment + "-1");
    object["metadata"]["labels"] = {{kExperimentLabel, whose.experiment},
                                    {kFolderLabel, whose.folder}};
    object["status"] = statusObject(state, condition(state, "Because"));
    addJob(object);
  }
  std::string left() {
    std::ostringstream said;
    const auto removed = removeLeftQuotas(*cluster, mark, /*is_needed=*/true, said);
    return said.str() + problemOf(removed) + "\n";
  }

  const ExperimentMark other{"other", "2222222222"};
  std::unique_ptr<ExperimentQuota> made;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(experiment_quota, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(it_is_made_changed_and_removed) {
  const Controller controller(*this);
  BOOST_TEST(problemOf(quota().set(3, {})) == "");
  BOOST_TEST(podsAllowed() == "3");
  BOOST_TEST(problemOf(quota().set(5, {})) == "");
  BOOST_TEST(podsAllowed() == "5");
  made.reset();
  BOOST_TEST(quotas() == 0U);
}

// Until Kubernetes' controller has taken it over, workers that are evicted would come back.
BOOST_AUTO_TEST_CASE(it_is_waited_for_until_a_stop) {
  std::stop_source ctrl_c;
  const std::jthread user([&] {
    server.waitFor(1, isQuotaRead);
    ctrl_c.request_stop();
  });
  BOOST_TEST(problemOf(quota().set(3, ctrl_c.get_token())) == "stopped");
  BOOST_TEST(quota().remove() == "");
  BOOST_TEST(quotas() == 0U);
}

BOOST_AUTO_TEST_CASE(one_that_is_not_the_experiments_stays_as_it_is) {
  nlohmann::json object = quotaObject(mark, {"job", "uid-job"}, 30);
  object["metadata"].erase("labels");
  BOOST_REQUIRE(server.store().create(quotaTarget(""), object).status == 201);
  test::checkGolden("cli/experiment/room/not_ours.txt", problemOf(quota().set(3, {})) + "\n");
  made.reset();
  BOOST_TEST(podsAllowed() == "30");
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_lost_makes_no_other_quota) {
  server.misbehave({.method = "POST", .drops_after = true});
  const Controller controller(*this);
  BOOST_TEST(problemOf(quota().set(3, {})) == "");
  BOOST_TEST(quotas() == 1U);
  BOOST_TEST(quota().remove() == "");
  BOOST_TEST(quotas() == 0U);
}

BOOST_AUTO_TEST_CASE(one_that_somebody_deletes_is_made_again) {
  const Controller controller(*this);
  BOOST_TEST(problemOf(quota().set(3, {})) == "");
  server.store().finish(quotaTarget(quotaNameOf(mark)));
  BOOST_TEST(problemOf(quota().set(4, {})) == "");
  BOOST_TEST(podsAllowed() == "4");
}

BOOST_AUTO_TEST_CASE(who_may_not_make_quotas_is_told_what_to_ask_for) {
  server.misbehave(
      {.method = "POST", .answer = fake::failure(403, "Forbidden", "no quotas for you")});
  test::checkGolden("cli/experiment/room/forbidden.txt", problemOf(quota().set(3, {})) + "\n");
  BOOST_TEST(quota().remove() == "");
}

BOOST_AUTO_TEST_CASE(one_that_cannot_be_removed_is_named) {
  const Controller controller(*this);
  BOOST_TEST(problemOf(quota().set(3, {})) == "");
  server.misbehave({.method = "DELETE", .answer = fake::failure(403, "Forbidden", "not yours")});
  test::checkGolden("cli/experiment/room/stays.txt", quota().remove() + "\n");
}

BOOST_AUTO_TEST_CASE(what_earlier_experiments_left_is_removed_and_told) {
  addLeftQuota(mark);
  addLeftQuota(other);
  addJobOf(other, "Succeeded");
  addJobOf(mark, "Running");  // of an earlier start: nobody else measures in our folder
  test::checkGolden("cli/experiment/room/left.txt", left());
  BOOST_TEST(quotas() == 0U);
}

BOOST_AUTO_TEST_CASE(one_whose_job_goes_on_stays) {
  addLeftQuota(other);
  addJobOf(other, "Running");
  BOOST_TEST(contains(left(), "other-1"));
  BOOST_TEST(quotas() == 1U);
}

BOOST_AUTO_TEST_CASE(who_needs_no_quota_need_not_see_any) {
  for (const bool is_needed : {false, true}) {
    server.misbehave({.method = "GET",
                      .target_contains = "/resourcequotas",
                      .answer = fake::failure(403, "Forbidden", "no quotas for you")});
    std::ostringstream said;
    BOOST_TEST(removeLeftQuotas(*cluster, mark, is_needed, said).has_value() == !is_needed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::experiment_quota_test
