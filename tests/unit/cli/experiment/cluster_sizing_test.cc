#include "cli/experiment/cluster_sizing.h"

#include <future>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/experiment/quota_fixture.h"

namespace sumac::cli::cluster_sizing_test {
namespace {

using experiment::ScriptedEvent;

constexpr const char* kMore = "sinceTime=";

std::string lineAt(const std::string& time, const std::string& text) {
  return "2026-01-31T12:00:" + time + "Z " + text + "\n";
}

std::string stepAt(const std::string& time, int step) {
  return lineAt(time, R"({"event":"progress","step":)" + std::to_string(step) +
                          R"(,"totalSteps":40,"epoch":1,"loss":0.5,"seconds":1})");
}

/// Workers as in JSON: "0,1".
std::string rosterAt(const std::string& time, const std::string& workers, int step) {
  return lineAt(time, R"({"event":"roster","term":1,"generation":1,"startStep":)" +
                          std::to_string(step) + R"(,"members":{"server":[0],"worker":[)" +
                          workers + "]}}");
}

ScriptedEvent room(double seconds, int workers) {
  return {.seconds = seconds, .workers = workers};
}

ScriptedEvent kill(double seconds, int worker) {
  return {.seconds = seconds, .kind = ScriptedEvent::Kind::kKill, .worker = worker};
}

bool isEviction(const fake::Seen& seen) {
  return seen.target.ends_with("/eviction");
}
bool isDeletion(const fake::Seen& seen) {
  return seen.method == "DELETE" && contains(seen.target, "/pods/");
}
bool isMore(const fake::Seen& seen) {
  return contains(seen.target, kMore);
}

/// A job with a server and three workers, which train.
struct Fixture : QuotaFixture {
  Fixture() {
    nlohmann::json object = jobObject("job");
    object["metadata"]["labels"] = {{kFolderLabel, mark.folder}};
    object["status"] = statusObject("Running", condition("Running", "Running"));
    uid = addJob(object);
    for (int i = 0; i < 3; ++i)
      addPod(podObject("worker", i, 0, "job"), uid);
  }
  ClusterSizing sizing(std::vector<ScriptedEvent> events) {
    return {*cluster,
            {{"default", "job"}, uid, {Role::kServer, 0}},
            {std::move(events), mark, 1},
            [this] { failure.set_value(); }};
  }
  /// The log begins like this, and goes on to its end when `after` is there.
  void train(const std::string& begin, const std::string& more, std::shared_future<void> after) {
    answerLogRequests(kMore, more, /*times=*/1, {}, std::move(after));
    answerLogRequests("/pods/job-server-0/log?", begin, /*times=*/1, kMore);
    addPod(podObject("server", 0, 0, "job"), uid);
  }
  void endCoordinator() { server.store().finish(podTarget("job-server-0")); }
  std::vector<std::string> evicted() {
    std::vector<std::string> names;
    for (const fake::Seen& seen : server.seen()) {
      if (isEviction(seen)) names.push_back(seen.target.substr(seen.target.find("job-")));
    }
    return names;
  }

  std::string uid;
  std::promise<void> failure;
  std::promise<void> goes_on;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cluster_sizing, Fixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(room_is_a_quota_and_evictions_above_it) {
  const Controller controller(*this);
  auto run = sizing({room(0, 1), room(0, 3)});
  train(rosterAt("01", "0,1,2", 0) + stepAt("02", 1) + stepAt("04", 11),
        rosterAt("05", "0", 12) + stepAt("09", 14) + rosterAt("10", "0,1,2", 16) + stepAt("12", 40),
        goes_on.get_future().share());
  BOOST_REQUIRE(server.waitFor(
      1, [](const fake::Seen& seen) { return seen.method == "PATCH" && isOfQuota(seen); }));
  goes_on.set_value();
  BOOST_REQUIRE(server.waitFor(2, isMore));
  endCoordinator();

  const auto figures = run.finish({}, "sha", {});
  BOOST_TEST_REQUIRE(figures.has_value());
  BOOST_TEST(
      evicted() == (std::vector<std::string>{"job-worker-2/eviction", "job-worker-1/eviction"}),
      boost::test_tools::per_element());
  BOOST_TEST(podsAllowed() == "4");  // with the server
  BOOST_TEST_REQUIRE(figures->sizing.has_value());
  BOOST_TEST(figures->sizing->parameters_sha256 == "sha");
  BOOST_TEST(figures->sizing->seconds == 10);
  BOOST_TEST(figures->steps == 39);
  const std::vector<experiment::SizingPhase> phases{{0, 3}, {3, 1}, {8, 3}};
  BOOST_TEST((figures->sizing->phases == phases));
  BOOST_TEST(run.end() == "");
  BOOST_TEST(quotas() == 0U);
}

// A worker that is evicted before would come back at once.
BOOST_AUTO_TEST_CASE(nobody_is_evicted_before_the_quota_is_in_force) {
  auto run = sizing({room(0, 1)});
  train(stepAt("02", 1), stepAt("04", 11), goes_on.get_future().share());
  BOOST_REQUIRE(server.waitFor(2, isQuotaRead));
  BOOST_TEST(server.count(isEviction) == 0U);
  takeOver();
  BOOST_REQUIRE(server.waitFor(2, isEviction));
  goes_on.set_value();
  BOOST_TEST(run.end() == "");
  BOOST_TEST(quotas() == 0U);
}

BOOST_AUTO_TEST_CASE(an_eviction_that_a_budget_delays_is_asked_for_again) {
  const Controller controller(*this);
  server.misbehave({.target_contains = "/eviction",
                    .answer = fake::failure(429, "TooManyRequests", "disruption budget")});
  auto run = sizing({room(0, 2)});
  train(stepAt("02", 1), stepAt("04", 11), goes_on.get_future().share());
  BOOST_REQUIRE(server.waitFor(2, isEviction));
  goes_on.set_value();
  BOOST_REQUIRE(server.waitFor(2, isMore));
  endCoordinator();
  BOOST_TEST(run.finish({}, "", {}).has_value());
}

BOOST_AUTO_TEST_CASE(an_event_that_is_refused_ends_the_run_at_once_and_leaves_nothing) {
  const Controller controller(*this);
  server.misbehave({.target_contains = "/eviction",
                    .answer = fake::failure(403, "Forbidden", "no evictions here")});
  auto run = sizing({room(0, 1)});
  train(stepAt("02", 1), "", goes_on.get_future().share());
  failure.get_future().wait();
  const auto figures = run.finish({}, "", {});
  BOOST_TEST_REQUIRE(!figures.has_value());
  BOOST_TEST(contains(figures.error().message, "no evictions here"));
  BOOST_TEST(run.end() == "");
  BOOST_TEST(quotas() == 0U);
  goes_on.set_value();
}

BOOST_AUTO_TEST_CASE(pods_of_others_that_have_come_meanwhile_get_no_quota) {
  nlohmann::json pod = podObject("worker", 0, 0, "other");
  addPod(pod, "uid-of-another-job");
  auto run = sizing({room(0, 1)});
  train(stepAt("02", 1), "", goes_on.get_future().share());
  failure.get_future().wait();
  const auto figures = run.finish({}, "", {});
  BOOST_TEST_REQUIRE(!figures.has_value());
  BOOST_TEST(contains(figures.error().message, "other-worker-0"));
  BOOST_TEST(quotas() == 0U);
  BOOST_TEST(server.count(isEviction) == 0U);
  goes_on.set_value();
}

BOOST_AUTO_TEST_CASE(who_is_killed_loses_its_pod_at_once) {
  auto run = sizing({kill(0, 7), kill(0, 1)});  // there is no worker 7
  train(stepAt("02", 1), stepAt("04", 11), goes_on.get_future().share());
  BOOST_REQUIRE(server.waitFor(1, isDeletion));
  goes_on.set_value();
  BOOST_REQUIRE(server.waitFor(2, isMore));
  endCoordinator();
  const auto figures = run.finish({}, "", {});
  BOOST_TEST(figures.has_value());
  BOOST_TEST(server.count(isDeletion) == 1U);
  for (const fake::Seen& seen : server.seen()) {
    if (!isDeletion(seen)) continue;
    BOOST_TEST(seen.target.ends_with("/job-worker-1"));
    BOOST_TEST(contains(seen.body, R"("gracePeriodSeconds":0)"));
  }
}

BOOST_AUTO_TEST_CASE(what_chose_the_size_stands_in_the_record) {
  auto run = sizing({});
  train(rosterAt("01", "0", 0) + stepAt("02", 1), stepAt("04", 11), goes_on.get_future().share());
  goes_on.set_value();
  BOOST_REQUIRE(server.waitFor(2, isMore));
  endCoordinator();
  const ToldSizes::Told change{clock.now(), 1, 3, autoscaling::Reason::kSavesTime, "saves 3 s"};
  const auto figures = run.finish({change}, "", {});
  BOOST_TEST_REQUIRE(figures.has_value());
  BOOST_TEST_REQUIRE(figures->sizing->changes.size() == 1U);
  BOOST_TEST(figures->sizing->changes[0].told == "saves 3 s");
  BOOST_TEST(quotas() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::cluster_sizing_test
