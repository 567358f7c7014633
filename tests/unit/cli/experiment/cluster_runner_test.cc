#include "cli/experiment/cluster_runner.h"

#include <atomic>
#include <chrono>
#include <csignal>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "cli/experiment/cluster_run.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::cluster_runner_test {
namespace {

const std::string kLog =
    "{\"level\":\"info\",\"message\":\"listening\"}\n"
    R"({"event":"progress","step":1,"totalSteps":3,"epoch":1,"loss":1,"seconds":1})"
    "\n"
    R"({"event":"progress","step":3,"totalSteps":3,"epoch":1,"loss":1,"seconds":2})"
    "\n";

/// Forty seconds pass whenever it is asked.
class LeapingClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint{} + std::chrono::seconds(40) * ++leaps_; }

 private:
  mutable std::atomic<int> leaps_ = 0;
};

/// Ctrl-C is a token of its own: with that of the connection nothing could be deleted any more.
struct Fixture : ClusterFixture {
  Fixture() {
    cell.document = JsonTree(nlohmann::ordered_json::parse(
        R"({"apiVersion":"sumac.dev/v1alpha1","kind":"TrainingJob","spec":{"worker":{"replicas":1}}})"));
  }

  std::string nameOf(int repetition) const { return jobNameOf(mark, {1, repetition}); }
  void begin(int repetition = 1) {
    runner.begin({{1, repetition}, &cell, (folder / "run").string()});
  }
  static bool isCreation(const fake::Seen& seen) { return seen.method == "POST"; }
  /// Until the runner has the answer: it follows the job then.
  void awaitCreation() {
    BOOST_REQUIRE(server.waitFor(1, [](const fake::Seen& seen) {
      return seen.method == "GET" && contains(seen.target, "fieldSelector");
    }));
  }
  std::string uidOf(const std::string& name) {
    return server.store().get(target(name)).body.at("metadata").at("uid").get<std::string>();
  }
  void addMembers(const std::string& name) {
    const auto uid = uidOf(name);
    addPod(podObject("server", 0, 0, name), uid);
    addPod(podObject("worker", 0, 0, name), uid);
  }
  std::size_t jobs() { return server.store().all("trainingjobs").size(); }
  /// The end of a run that waits for nothing.
  EndedRun runInNoTime() {
    const LeapingClock leaping;
    const Cluster hasty{*client,        *transport,    cluster->watch,      leaping,
                        wall_clock,     cluster->stop, cluster->name_space, false,
                        cluster->server};
    ClusterRunner impatient(hasty, {mark, 1, 2}, ctrl_c.get_token());
    impatient.begin({{1, 1}, &cell, (folder / "run").string()});
    return impatient.await();
  }
  std::string causeOf(const EndedRun& ended) {
    const auto* const failure = std::get_if<RunFailure>(&ended.outcome);
    return failure == nullptr ? "" : failure->cause;
  }

  void checkCause(std::string_view golden, const EndedRun& ended) {
    test::checkGolden(golden, causeOf(ended) + "\n");
  }

  TemporaryFolder folder;
  const ExperimentMark mark{"study", "0123456789"};
  experiment::Cell cell;
  std::stop_source ctrl_c;
  ClusterRunner runner{*cluster, {mark, 1, 2}, ctrl_c.get_token()};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cluster_runner, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(a_run_is_a_job_that_is_measured_and_deleted) {
  begin();
  awaitCreation();
  addMembers(nameOf(1));
  answerLog(nameOf(1) + "-server-0", kLog);
  setStatus(nameOf(1), statusObject("Succeeded", condition("Succeeded", "Completed")));

  const auto ended = runner.await();
  BOOST_TEST(causeOf(ended) == "");
  const auto& figures = std::get<experiment::RunFigures>(ended.outcome);
  BOOST_TEST(figures.steps == 2);
  BOOST_TEST(figures.seconds == 1);
  BOOST_TEST(figures.nodes.at("worker-0") == "node-a");
  BOOST_TEST(jobs() == 0U);
}

BOOST_AUTO_TEST_CASE(a_job_that_fails_is_explained_and_its_logs_are_kept) {
  begin();
  awaitCreation();
  addMembers(nameOf(1));
  answerLog(nameOf(1) + "-worker-0", "last words\n");
  answerLog(nameOf(1) + "-server-0", "others\n");
  setStatus(nameOf(1), statusObject("Failed", condition("Failed", "BadConfiguration", "no data")));

  BOOST_TEST(causeOf(runner.await()) == "no data");
  BOOST_TEST(*readTextFile(folder / "run" / "worker-0.log", 100) == "last words\n");
  BOOST_TEST(jobs() == 0U);
}

BOOST_AUTO_TEST_CASE(a_stop_deletes_and_names_every_job_under_way) {
  begin(1);
  begin(2);
  BOOST_REQUIRE(server.waitFor(2, isCreation));
  ctrl_c.request_stop();
  for (int i = 0; i < 2; ++i) {
    const auto ended = runner.await();
    const auto& failure = std::get<RunFailure>(ended.outcome);
    BOOST_TEST(failure.stop_signal == SIGINT);
    BOOST_TEST(ended.note == "deleted the job default/" + nameOf(ended.id.repetition));
  }
  BOOST_TEST(jobs() == 0U);
  BOOST_TEST(runner.takeSignal() == SIGINT);
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_lost_makes_no_second_job) {
  server.misbehave({.method = "POST", .drops_after = true});
  begin();
  BOOST_REQUIRE(server.waitFor(2, isCreation));
  BOOST_TEST(jobs() == 1U);
  addMembers(nameOf(1));
  answerLog(nameOf(1) + "-server-0", kLog);
  setStatus(nameOf(1), statusObject("Succeeded", condition("Succeeded", "Completed")));
  BOOST_TEST(causeOf(runner.await()) == "");
}

BOOST_AUTO_TEST_CASE(a_job_that_may_have_been_created_is_deleted_after_a_stop) {
  server.misbehave({.method = "POST", .times = -1, .drops_after = true});
  begin();
  BOOST_REQUIRE(server.waitFor(2, isCreation));
  ctrl_c.request_stop();
  const auto ended = runner.await();
  BOOST_TEST(std::get<RunFailure>(ended.outcome).stop_signal == SIGINT);
  BOOST_TEST(jobs() == 0U);
}

BOOST_AUTO_TEST_CASE(a_job_whose_creation_has_an_unreadable_answer_is_deleted) {
  addJob(jobObjectOf(mark, {1, 1}, cell, ""));
  server.misbehave({.method = "POST", .answer = fake::Answer{201, {{"kind", "TrainingJob"}}}});
  begin();
  const auto ended = runner.await();
  BOOST_TEST(causeOf(ended) != "");
  BOOST_TEST(ended.note == "deleted the job default/" + nameOf(1));
  BOOST_TEST(jobs() == 0U);
}

BOOST_AUTO_TEST_CASE(checkpoints_that_stay_are_named) {
  cell.document = JsonTree(nlohmann::ordered_json::parse(
      R"({"apiVersion":"sumac.dev/v1alpha1","kind":"TrainingJob","spec":{"worker":{"replicas":1},
          "checkpoint":{"path":"/c","volume":{"nfs":{},"subPath":"a"}}}})"));
  begin();
  awaitCreation();
  ctrl_c.request_stop();
  const auto note = runner.await().note;
  BOOST_TEST(contains(note, " a/" + nameOf(1) + "-"), note);
}

BOOST_AUTO_TEST_CASE(a_job_that_cannot_be_created_is_given_up) {
  server.misbehave({.method = "POST",
                    .times = -1,
                    .answer = fake::failure(500, "InternalError", "etcd is full")});
  checkCause("cli/experiment/cluster_runner/not_created.txt", runInNoTime());
}

BOOST_AUTO_TEST_CASE(a_job_that_nothing_takes_care_of_is_given_up) {
  checkCause("cli/experiment/cluster_runner/no_operator.txt", runInNoTime());
  BOOST_TEST(jobs() == 0U);
}

BOOST_AUTO_TEST_CASE(a_limit_that_nobody_carries_out_is_a_failure) {
  cell.conditions.link_bits_per_second = 1'000'000;
  begin();
  awaitCreation();
  addMembers(nameOf(1));
  answerLog(nameOf(1) + "-server-0", kLog);
  server.store().edit(podTarget(nameOf(1) + "-worker-0"), [](nlohmann::json& pod) {
    const std::string said =
        R"({"event":"result","steps":3,"sentBytes":3000000,"receivedBytes":3})";
    pod["status"]["containerStatuses"][0]["state"] = {
        {"terminated", {{"exitCode", 0}, {"message", said}}}};
  });
  setStatus(nameOf(1), statusObject("Succeeded", condition("Succeeded", "Completed")));
  checkCause("cli/experiment/cluster_runner/links_not_limited.txt", runner.await());
}

// Its job would go on: the end of the log and news of the job are not waited for.
BOOST_AUTO_TEST_CASE(a_change_of_size_that_is_refused_ends_the_run_at_once) {
  server.misbehave(
      {.method = "PATCH", .answer = fake::failure(403, "Forbidden", "no scaling here")});
  server.misbehave({.target_contains = "/pods/" + nameOf(1) + "-server-0/log",
                    .chunks = {"2026-01-31T12:00:02Z " + kLog.substr(kLog.find('\n') + 1)},
                    .then = fake::Misbehaviour::Then::kSilent});
  ClusterRunner scaling(*cluster, {mark, 1, 2, {{0, 1}, {0, 3}}}, ctrl_c.get_token());
  scaling.begin({{1, 1}, &cell, (folder / "run").string()});
  awaitCreation();
  addMembers(nameOf(1));
  const auto ended = scaling.await();
  BOOST_TEST(contains(causeOf(ended), "no scaling here"), causeOf(ended));
  BOOST_TEST(jobs() == 0U);
}

// Its quota goes before the job: the next experiment takes one without a job for left behind.
BOOST_AUTO_TEST_CASE(a_stop_takes_the_quota_of_a_run_away_first) {
  using experiment::ScriptedEvent;
  server.misbehave({.target_contains = "/pods/" + nameOf(1) + "-server-0/log",
                    .chunks = {"2026-01-31T12:00:02Z " + kLog.substr(kLog.find('\n') + 1)},
                    .then = fake::Misbehaviour::Then::kSilent});
  ClusterRunner::Options options{mark, 1, 2};
  options.sizing = {ScriptedEvent{.workers = 1}};
  ClusterRunner sizing(*cluster, options, ctrl_c.get_token());
  sizing.begin({{1, 1}, &cell, (folder / "run").string()});
  awaitCreation();
  addMembers(nameOf(1));
  BOOST_REQUIRE(server.waitFor(1, [](const fake::Seen& seen) {
    return seen.method == "GET" && contains(seen.target, "/resourcequotas/");
  }));
  ctrl_c.request_stop();
  const auto ended = sizing.await();
  BOOST_TEST(std::get<RunFailure>(ended.outcome).stop_signal == SIGINT);
  BOOST_TEST(jobs() == 0U);
  std::vector<std::string> deleted;
  for (const fake::Seen& seen : server.seen()) {
    if (seen.method == "DELETE") deleted.push_back(seen.target);
  }
  BOOST_TEST_REQUIRE(deleted.size() == 2U);
  BOOST_TEST(contains(deleted[0], "/resourcequotas/"));
}

BOOST_AUTO_TEST_CASE(an_autoscaler_that_is_refused_ends_the_run) {
  server.misbehave({.method = "POST",
                    .target_contains = "horizontalpodautoscalers",
                    .answer = fake::failure(403, "Forbidden", "no autoscalers here")});
  cell.job.worker = {.replicas = 1, .min_replicas = 1, .max_replicas = 2};
  cell.conditions.hpa.emplace();
  ClusterRunner::Options options{mark, 1, 2};
  options.sizing.emplace();
  ClusterRunner sizing(*cluster, options, ctrl_c.get_token());
  sizing.begin({{1, 1}, &cell, (folder / "run").string()});
  BOOST_TEST(contains(causeOf(sizing.await()), "no autoscalers here"));
  BOOST_TEST(jobs() == 0U);
}

BOOST_AUTO_TEST_CASE(a_job_of_somebody_else_is_left_alone) {
  addJob(jobObject(nameOf(1)));
  begin();
  checkCause("cli/experiment/cluster_runner/not_ours.txt", runner.await());
  BOOST_TEST(jobs() == 1U);
}

BOOST_AUTO_TEST_CASE(a_job_that_somebody_deletes_is_a_failure) {
  begin();
  BOOST_REQUIRE(server.waitFor(1, [](const fake::Seen& seen) { return seen.isWatch(); }));
  server.store().finish(target(nameOf(1)));
  checkCause("cli/experiment/cluster_runner/deleted.txt", runner.await());
}

BOOST_AUTO_TEST_CASE(what_the_cluster_refuses_is_a_failure) {
  server.misbehave({.method = "POST", .answer = fake::failure(403, "Forbidden", "exceeded quota")});
  begin();
  BOOST_TEST(contains(causeOf(runner.await()), "exceeded quota"));
}

BOOST_AUTO_TEST_CASE(jobs_that_nobody_wants_any_more_are_deleted) {
  for (const int repetition : {1, 2})
    addJob(jobObjectOf(mark, {1, repetition}, cell, ""));
  addJob(jobObject("other"));
  const auto removed =
      runner.removeLeftovers([](experiment::RunId run) { return run.repetition == 1; });
  BOOST_REQUIRE(removed.has_value());
  BOOST_TEST(*removed == std::vector{nameOf(2)}, boost::test_tools::per_element());
  BOOST_TEST(jobs() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::cluster_runner_test
