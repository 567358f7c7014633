#include "cli/cluster/change.h"

#include <thread>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::change_test {

namespace {

nlohmann::json fixedJob(bool is_suspended) {
  nlohmann::json object = jobObject();
  object["spec"]["worker"] = {{"replicas", 2}};
  object["spec"]["suspend"] = is_suspended;
  return object;
}

nlohmann::json runningJob(const std::string& name) {
  nlohmann::json object = jobObject(name);
  object["status"] = statusObject("Running", condition("Running", "Running"));
  object["status"]["progress"] = progressObject(50);
  return object;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(change_commands, ClusterFixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(knows_which_sizes_a_job_can_have) {
  const auto elastic = jobOf(jobObject());
  BOOST_TEST(scaleProblem(elastic, 1) == "");
  BOOST_TEST(scaleProblem(elastic, 4) == "");
  BOOST_TEST(contains(scaleProblem(elastic, 5), "allows 1 to 4 workers"));

  BOOST_TEST(contains(scaleProblem(jobOf(fixedJob(false)), 3), "fixed size of 2 workers"));
  BOOST_TEST(contains(scaleProblem(jobOf(fixedJob(false)), 3), "`sumac suspend lenet5`"));
  BOOST_TEST(scaleProblem(jobOf(fixedJob(true)), 3) == "");

  BOOST_TEST(contains(scaleProblem(jobIn("Succeeded", condition("Succeeded", "Completed")), 2),
                      "has ended"));
}

BOOST_AUTO_TEST_CASE(scales_through_the_subresource) {
  addJob(jobObject());

  scale(*cluster, "lenet5", 3, console);

  const auto is_scale = [](const fake::Seen& seen) {
    return seen.method == "PATCH" && contains(seen.target, "/trainingjobs/lenet5/scale") &&
           seen.body == R"({"spec":{"replicas":3}})";
  };
  BOOST_TEST(server.count(is_scale) == 1U);
}

BOOST_AUTO_TEST_CASE(sends_nothing_for_a_size_that_cannot_be) {
  addJob(jobObject());

  BOOST_TEST(scale(*cluster, "lenet5", 9, console) == toInt(ExitCode::kFailed));

  BOOST_TEST(server.count([](const fake::Seen& seen) { return seen.method == "PATCH"; }) == 0U);
}

BOOST_AUTO_TEST_CASE(suspends_and_resumes_once) {
  addJob(jobObject());

  BOOST_TEST(setSuspended(*cluster, {"lenet5"}, true, console) == toInt(ExitCode::kDone));
  BOOST_TEST(server.store().get(target("lenet5")).body["spec"]["suspend"] == true);
  BOOST_TEST(setSuspended(*cluster, {"lenet5"}, true, console) == toInt(ExitCode::kDone));
  BOOST_TEST(setSuspended(*cluster, {"lenet5"}, false, console) == toInt(ExitCode::kDone));

  BOOST_TEST(out.str() ==
             "trainingjob.sumac.dev/lenet5 suspended\n"
             "trainingjob.sumac.dev/lenet5 is already suspended\n"
             "trainingjob.sumac.dev/lenet5 resumed\n");
}

BOOST_AUTO_TEST_CASE(warns_where_suspending_or_scaling_loses_the_progress) {
  nlohmann::json object = runningJob("lenet5");
  object["spec"]["strategy"]["codec"] = "bf16";  // its members are fixed
  addJob(object);

  scale(*cluster, "lenet5", 3, console);
  BOOST_TEST(contains(err.str(),
                      "warning: scaling the job lenet5 loses its progress (step 300 of "
                      "600)"),
             err.str());
  setSuspended(*cluster, {"lenet5"}, true, console);
  BOOST_TEST(contains(err.str(), "warning: suspending the job lenet5 loses"), err.str());

  err.str("");
  object = runningJob("kept");
  object["spec"]["checkpoint"] = {{"path", "/c"},
                                  {"volume", {{"persistentVolumeClaim", {{"claimName", "c"}}}}}};
  addJob(object);
  scale(*cluster, "kept", 3, console);
  setSuspended(*cluster, {"kept"}, true, console);
  BOOST_TEST(err.str() == "");
}

BOOST_AUTO_TEST_CASE(only_suspending_loses_the_progress_where_members_change_in_place) {
  addJob(runningJob("lenet5"));

  scale(*cluster, "lenet5", 3, console);
  BOOST_TEST(err.str() == "");
  setSuspended(*cluster, {"lenet5"}, true, console);
  BOOST_TEST(contains(err.str(), "warning: suspending the job lenet5 loses"), err.str());
}

BOOST_AUTO_TEST_CASE(loses_nothing_where_no_step_was_done) {
  addJob(jobObject());

  setSuspended(*cluster, {"lenet5"}, true, console);
  scale(*cluster, "lenet5", 3, console);

  BOOST_TEST(err.str() == "");
}

BOOST_AUTO_TEST_CASE(goes_on_after_a_job_that_does_not_exist) {
  addJob(jobObject());

  BOOST_TEST(setSuspended(*cluster, {"missing", "lenet5"}, true, console) ==
             toInt(ExitCode::kFailed));

  BOOST_TEST(contains(out.str(), "lenet5 suspended"));
}

BOOST_AUTO_TEST_CASE(does_not_suspend_what_has_ended) {
  nlohmann::json object = jobObject();
  object["status"] = statusObject("Succeeded", condition("Succeeded", "Completed"));
  addJob(object);

  BOOST_TEST(setSuspended(*cluster, {"lenet5"}, true, console) == toInt(ExitCode::kFailed));

  BOOST_TEST(contains(err.str(), "has ended"));
}

BOOST_AUTO_TEST_CASE(names_the_verb_that_is_missing) {
  addJob(jobObject());
  server.misbehave(
      {.method = "PATCH", .answer = fake::failure(403, "Forbidden", "User \"bob\" cannot patch")});

  BOOST_TEST(scale(*cluster, "lenet5", 3, console) == toInt(ExitCode::kFailed));

  BOOST_TEST(contains(err.str(), "you may not patch trainingjobs.sumac.dev/scale"));
}

BOOST_AUTO_TEST_CASE(deletes_only_the_job_that_it_saw) {
  const std::string uid = addJob(jobObject());

  BOOST_TEST(removeJobs(*cluster, {.names = {"lenet5"}}, console) == toInt(ExitCode::kDone));

  const auto has_uid = [&uid](const fake::Seen& seen) {
    return seen.method == "DELETE" && contains(seen.body, uid);
  };
  BOOST_TEST(server.count(has_uid) == 1U);
  BOOST_TEST(server.store().get(target("lenet5")).status == 404);
}

BOOST_AUTO_TEST_CASE(fails_for_a_missing_job_unless_told_not_to) {
  BOOST_TEST(removeJobs(*cluster, {.names = {"lenet5"}}, console) == toInt(ExitCode::kFailed));
  BOOST_TEST(removeJobs(*cluster, {.names = {"lenet5"}, .ignore_missing = true}, console) ==
             toInt(ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(waits_until_the_job_is_gone) {
  nlohmann::json object = jobObject();
  object["metadata"]["finalizers"] = {"test/hold"};
  addJob(object);
  bool is_gone = false;
  const std::jthread finalizer([&] {
    server.waitFor(1, [](const fake::Seen& seen) { return seen.isWatch(); });
    is_gone = true;
    server.store().finish(target("lenet5"));
  });

  const int code = removeJobs(*cluster, {.names = {"lenet5"}, .wait = true}, console);

  BOOST_TEST(code == toInt(ExitCode::kDone));
  BOOST_TEST(is_gone);
}

BOOST_AUTO_TEST_CASE(waits_not_at_all_for_a_job_that_goes_at_once) {
  addJob(jobObject());

  BOOST_TEST(removeJobs(*cluster, {.names = {"lenet5"}, .wait = true}, console) ==
             toInt(ExitCode::kDone));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::change_test
