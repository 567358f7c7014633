#include "cli/experiment/cluster_scaling.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::cluster_scaling_test {
namespace {

/// A line of a container, as the API server sends it.
std::string lineAt(const std::string& time, const std::string& text) {
  return "2026-01-31T12:00:" + time + "Z " + text + "\n";
}

std::string stepAt(const std::string& time, int step) {
  return lineAt(time, R"({"event":"progress","step":)" + std::to_string(step) +
                          R"(,"totalSteps":40,"epoch":1,"loss":0.5,"seconds":1})");
}

bool isChange(const fake::Seen& seen) {
  return seen.method == "PATCH" && contains(seen.target, "/scale");
}

// Of each attempt one request reads the log from its beginning. A reader that asks for more does so
// by name, and by then the name may be the next attempt's.
constexpr const char* kAsksForMore = "sinceTime=";

bool isFirstOfLog(const fake::Seen& seen) {
  return contains(seen.target, "/log?") && !contains(seen.target, kAsksForMore);
}

bool isJobRead(const fake::Seen& seen) {
  return seen.method == "GET" && seen.target.ends_with("/trainingjobs/job");
}

bool isListOfPods(const fake::Seen& seen) {
  return seen.method == "GET" && contains(seen.target, "/pods?") && !seen.isWatch();
}

/// Workers as in JSON: "0,1".
std::string rosterAt(const std::string& time, const std::string& workers, int step) {
  return lineAt(time, R"({"event":"roster","term":1,"generation":1,"startStep":)" +
                          std::to_string(step) + R"(,"members":{"server":[0],"worker":[)" +
                          workers + "]}}");
}

/// A clock that can be behind the time by which a thread waits, when it is asked once: then a wait
/// for a minute is over at once.
class MinuteBehind final : public Clock {
 public:
  void beBehindOnce() { is_next_behind_ = true; }
  TimePoint now() const override {
    const std::chrono::minutes behind(is_next_behind_.exchange(false) ? 1 : 0);
    return SystemClock().now() - behind;
  }

 private:
  mutable std::atomic<bool> is_next_behind_ = false;
};

/// A job with one worker that is to have three, at once.
struct Fixture : ClusterFixture {
  Fixture() {
    nlohmann::json object = jobObject("job");
    object["spec"]["worker"]["replicas"] = 1;
    object["status"] = statusObject("Running", condition("Running", "Running"));
    uid = addJob(object);
    setSize(0, 1);
  }

  void setSize(int attempt, int workers) {
    server.store().edit(target("job"), [&](nlohmann::json& object) {
      object["status"]["attempt"] = attempt;
      object["status"]["replicaStatuses"]["worker"]["desired"] = workers;
    });
  }
  /// The coordinator of an attempt, which runs and has this log.
  void runAttempt(int attempt, const std::string& log, std::shared_future<void> after = {}) {
    answerLogRequests("/pods/job-server-0/log?", log, /*times=*/1, kAsksForMore, std::move(after));
    addPod(podObject("server", 0, attempt, "job"), uid);
  }
  /// The same of one whose log goes on without an end.
  void runEndlessAttempt(const std::string& log) {
    server.misbehave({.target_contains = "/pods/job-server-0/log",
                      .chunks = {log},
                      .then = fake::Misbehaviour::Then::kSilent});
    addPod(podObject("server", 0, 0, "job"), uid);
  }
  const Cluster& clusterAt(const Clock& time) {
    late = std::make_unique<Cluster>(Cluster{*client, *transport, cluster->watch, time, wall_clock,
                                             stop.get_token(), "default", false, server.url()});
    return *late;
  }
  /// An attempt whose log goes on like this once the cluster was asked for a change; to its end.
  void runChangedInPlace(const std::string& log, const std::string& more) {
    std::promise<void> asked;
    answerLogRequests(kAsksForMore, more, /*times=*/1, {}, asked.get_future().share());
    runAttempt(0, log);
    BOOST_REQUIRE(server.waitFor(1, isChange));
    asked.set_value();
    BOOST_REQUIRE(server.waitFor(
        2, [](const fake::Seen& seen) { return contains(seen.target, kAsksForMore); }));
    endAttempt();
  }
  void endAttempt() { server.store().finish(podTarget("job-server-0")); }

  std::string uid;
  std::unique_ptr<Cluster> late;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cluster_scaling, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(a_change_is_a_new_attempt_whose_steps_are_read_too) {
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}, {0, 3}}, [] {});
  runAttempt(0, lineAt("01", "listening") + stepAt("02", 1) + stepAt("04", 11) +
                    lineAt("04.5", R"({"event":"checkpoint","step":13})"));
  BOOST_REQUIRE(server.waitFor(1, isChange));
  endAttempt();
  setSize(1, 3);
  runAttempt(1, stepAt("08", 14) + stepAt("10", 40));
  BOOST_REQUIRE(server.waitFor(2, isFirstOfLog));

  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(record.has_value());
  BOOST_TEST(record->parameters_sha256 == "sha");
  BOOST_TEST_REQUIRE(record->changes.size() == 1U);
  BOOST_TEST((record->changes[0] == experiment::ScaleChange{0, 13, 1, 3, 3.6}));
  BOOST_TEST_REQUIRE(record->points.size() == 5U);
  BOOST_TEST(record->points[3].workers == 3);
  BOOST_TEST(record->points[3].seconds == 6);
}

BOOST_AUTO_TEST_CASE(in_place_a_change_is_the_roster_that_was_asked_for_and_all_train_on) {
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kInPlace, {{0, 1}, {0, 3}}, [] {});
  runChangedInPlace(rosterAt("01", "0", 0) + stepAt("02", 1) + stepAt("04", 11),
                    rosterAt("05", "0,1", 12) + stepAt("06", 14) + rosterAt("07", "0,1,2", 16) +
                        stepAt("08", 17) + stepAt("10", 40));

  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(record.has_value());
  BOOST_TEST(record->restarts == 0);
  BOOST_TEST_REQUIRE(record->changes.size() == 1U);
  BOOST_TEST(record->changes[0].step == 16);
  BOOST_TEST(record->changes[0].to == 3);
  BOOST_TEST(server.count(isChange) == 1U);
}

BOOST_AUTO_TEST_CASE(in_place_a_number_that_trains_already_is_there_once_it_was_asked_for) {
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kInPlace, {{0, 3}, {0, 2}}, [] {});
  // Founded without the third worker.
  runChangedInPlace(rosterAt("01", "0,1", 0) + stepAt("02", 1), stepAt("06", 14));

  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(record.has_value());
  BOOST_TEST(record->changes.empty());
  BOOST_TEST_REQUIRE(record->points.size() == 2U);
  BOOST_TEST(record->points[0].workers == 2);
  BOOST_TEST(record->points[1].workers == 2);
  BOOST_TEST(server.count(isChange) == 1U);
}

// The lines of the attempt before come late: when the job, and the reading of the next one's log,
// would be at their ends.
BOOST_AUTO_TEST_CASE(an_attempt_is_read_when_the_log_of_the_one_before_has_ended) {
  std::promise<void> delivered;
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}, {60, 3}}, [] {});
  runAttempt(0, stepAt("02", 1) + stepAt("04", 11), delivered.get_future().share());
  BOOST_REQUIRE(server.waitFor(1, isFirstOfLog));
  endAttempt();
  setSize(1, 1);
  runAttempt(1, stepAt("08", 12) + stepAt("10", 40));
  BOOST_REQUIRE(server.waitFor(2, isJobRead));  // of each attempt
  const auto lists = server.count(isListOfPods);
  const std::jthread network([&] {
    server.waitFor(lists + 1, isListOfPods);  // finish() does it, when all news were taken
    delivered.set_value();
  });

  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(!record.has_value());
  BOOST_TEST(contains(record.error().message, " 8 s "));
}

// By its own name, which the third attempt has soon.
BOOST_AUTO_TEST_CASE(no_attempt_is_skipped_while_the_log_of_an_earlier_one_goes_on) {
  std::promise<void> delivered;
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}}, [] {});
  runAttempt(0, stepAt("02", 1), delivered.get_future().share());
  BOOST_REQUIRE(server.waitFor(1, isFirstOfLog));
  for (const int attempt : {1, 2}) {
    endAttempt();
    setSize(attempt, 1);
    runAttempt(attempt, attempt == 1 ? stepAt("08", 2) : stepAt("12", 3));
    BOOST_REQUIRE(server.waitFor(static_cast<std::size_t>(attempt) + 1, isFirstOfLog));
  }
  delivered.set_value();

  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(record.has_value());
  BOOST_TEST(record->points.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_log_that_does_not_end_holds_up_the_next_one_s_for_a_minute) {
  MinuteBehind behind;
  ClusterScaling scaling(clusterAt(behind), {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}, {0, 3}}, [] {});
  runEndlessAttempt("no line");
  BOOST_REQUIRE(server.waitFor(1, isFirstOfLog));
  behind.beBehindOnce();  // when the next attempt begins
  endAttempt();
  setSize(1, 1);
  runAttempt(1, stepAt("08", 2));

  BOOST_TEST(server.waitFor(1, isChange));  // after the first step
}

// The job has ended meanwhile: each log has a minute.
BOOST_AUTO_TEST_CASE(a_log_that_does_not_end_at_a_job_s_end_takes_no_time_from_the_next_one) {
  std::promise<void> delivered;
  MinuteBehind behind;
  ClusterScaling scaling(clusterAt(behind), {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}, {60, 3}}, [] {});
  runEndlessAttempt("no line");
  BOOST_REQUIRE(server.waitFor(1, isFirstOfLog));
  endAttempt();
  setSize(1, 1);
  runAttempt(1, stepAt("08", 2) + stepAt("10", 40), delivered.get_future().share());
  BOOST_REQUIRE(server.waitFor(2, isFirstOfLog));
  behind.beBehindOnce();  // in finish()
  const auto lists = server.count(isListOfPods);
  const std::jthread network([&] {
    server.waitFor(lists + 1, isListOfPods);
    delivered.set_value();
  });

  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(!record.has_value());
  BOOST_TEST(contains(record.error().message, " 2 s "));
}

BOOST_AUTO_TEST_CASE(an_attempt_of_the_same_size_is_no_change) {
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}, {60, 3}}, [] {});
  runAttempt(0, stepAt("02", 1) + stepAt("04", 11));
  BOOST_REQUIRE(server.waitFor(1, isFirstOfLog));
  endAttempt();
  setSize(1, 1);
  runAttempt(1, stepAt("08", 10) + stepAt("10", 40));
  BOOST_REQUIRE(server.waitFor(2, isFirstOfLog));

  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(!record.has_value());
  test::checkGolden("cli/experiment/complete_too_soon.txt", record.error().message + "\n");
  BOOST_TEST(server.count(isChange) == 0U);
}

// The job goes on, and so does its log: the end of neither is waited for.
BOOST_AUTO_TEST_CASE(a_change_that_is_refused_is_told_at_once) {
  server.misbehave(
      {.method = "PATCH", .answer = fake::failure(403, "Forbidden", "no scaling here")});
  std::promise<void> failure;
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}, {0, 3}},
                         [&failure] { failure.set_value(); });
  runEndlessAttempt(stepAt("02", 1));
  failure.get_future().wait();
  const auto record = scaling.finish("", {});
  BOOST_TEST_REQUIRE(!record.has_value());
  BOOST_TEST(contains(record.error().message, "no scaling here"));
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_reading_of_a_log) {
  std::stop_source ctrl_c;
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}}, [] {});
  runEndlessAttempt(stepAt("02", 1));
  BOOST_REQUIRE(server.waitFor(1, isFirstOfLog));
  ctrl_c.request_stop();
  const auto record = scaling.finish("sha", ctrl_c.get_token());
  BOOST_TEST_REQUIRE(!record.has_value());
  BOOST_TEST(record.error().message == "stopped");
}

// The new attempt is there before the change can be asked for again.
BOOST_AUTO_TEST_CASE(a_change_whose_answer_was_lost_counts_when_its_attempt_begins) {
  server.misbehave({.method = "PATCH", .times = -1, .drops_before = true});
  ClusterScaling scaling(*cluster, {{"default", "job"}, uid, {Role::kServer, 0}},
                         ScaleCourse::Means::kRestart, {{0, 1}, {0, 3}}, [] {});
  runAttempt(0, stepAt("02", 1));
  BOOST_REQUIRE(server.waitFor(1, isChange));
  endAttempt();
  setSize(1, 3);
  runAttempt(1, stepAt("08", 2) + stepAt("10", 40));
  BOOST_REQUIRE(server.waitFor(2, isFirstOfLog));
  const auto record = scaling.finish("sha", {});
  BOOST_TEST_REQUIRE(record.has_value());
  BOOST_TEST(record->changes.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::cluster_scaling_test
