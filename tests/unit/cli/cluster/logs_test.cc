#include "cli/cluster/logs.h"

#include <thread>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::logs_test {

namespace {

struct Fixture : ClusterFixture {
  Fixture() {
    uid = addJob(jobObject());
    options.choice.job = "lenet5";
  }

  int run() { return logs(*cluster, options, console); }

  void waitForReads(const std::string& pod, std::size_t number) {
    server.waitFor(number, [&pod](const fake::Seen& seen) {
      return contains(seen.target, "/pods/" + pod + "/log");
    });
  }
  std::size_t reads(const std::string& pod) {
    return server.count(
        [&pod](const fake::Seen& seen) { return contains(seen.target, "/pods/" + pod + "/log"); });
  }
  /// A log that is not followed: that of a pod that has ended.
  void waitForLastRead(const std::string& pod) {
    server.waitFor(1, [&pod](const fake::Seen& seen) {
      return contains(seen.target, "/pods/" + pod + "/log") && !contains(seen.target, "follow");
    });
  }
  void endPod(const std::string& pod) {
    server.store().edit(podTarget(pod), [](nlohmann::json& object) {
      object["status"]["containerStatuses"][0]["state"] = {{"terminated", {{"exitCode", 0}}}};
    });
  }
  void endJob() {
    setStatus("lenet5", statusObject("Succeeded", condition("Succeeded", "Completed")));
  }

  std::string uid;
  LogsOptions options;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(logs_command, Fixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(prints_all_members_servers_first_with_their_names) {
  addPod(podObject("worker", 1), uid);
  addPod(podObject("worker", 0), uid);
  addPod(podObject("server", 0), uid);
  answerLog("lenet5-server-0", "s\n");
  answerLog("lenet5-worker-0", "a\nb\n");
  answerLog("lenet5-worker-1", "last line without an end");

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(out.str() ==
             "[server-0] s\n[worker-0] a\n[worker-0] b\n[worker-1] last line without an end\n");
}

BOOST_AUTO_TEST_CASE(prints_one_member_as_it_wrote) {
  addPod(podObject("worker", 0), uid);
  addPod(podObject("worker", 1), uid);
  answerLog("lenet5-worker-1", "a\n");
  options.choice = *withMember(options.choice, "worker-1");

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(out.str() == "a\n");
}

BOOST_AUTO_TEST_CASE(says_why_a_member_has_written_nothing_yet) {
  nlohmann::json pod = podObject("worker", 0);
  pod["status"]["containerStatuses"][0]["state"] = {
      {"waiting", {{"reason", "ImagePullBackOff"}, {"message", "no such image"}}}};
  addPod(pod, uid);

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  test::checkGolden("cli/cluster/logs_of_a_waiting_pod.txt", err.str());
}

BOOST_AUTO_TEST_CASE(says_that_there_is_no_such_member) {
  addPod(podObject("worker", 0), uid);
  options.choice.index = 7;

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  test::checkGolden("cli/cluster/logs_of_no_member.txt", err.str());
}

BOOST_AUTO_TEST_CASE(names_what_a_kubelet_refuses) {
  addPod(podObject("worker", 0), uid);
  server.misbehave({.target_contains = "/log",
                    .answer = fake::failure(403, "Forbidden", "cannot get pods/log")});

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  BOOST_TEST(contains(err.str(), "pods/log in namespace default"));
}

BOOST_AUTO_TEST_CASE(follows_all_members_until_the_job_ends) {
  options.follow = true;
  addPod(podObject("server", 0), uid);
  addPod(podObject("worker", 0), uid);
  answerLog("lenet5-server-0", "2026-01-31T12:00:01Z s\n", -1);
  answerLog("lenet5-worker-0", "2026-01-31T12:00:01Z w\n", -1);
  const std::jthread controller([this] {
    waitForReads("lenet5-server-0", 1);
    waitForReads("lenet5-worker-0", 1);
    endJob();
  });

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  const std::string text = out.str();
  BOOST_TEST(text.size() == std::string("[server-0] s\n[worker-0] w\n").size(), text);
  BOOST_TEST(contains(text, "[server-0] s\n"));
  BOOST_TEST(contains(text, "[worker-0] w\n"));
}

BOOST_AUTO_TEST_CASE(goes_on_where_a_lost_connection_left_off) {
  options.follow = true;
  addPod(podObject("worker", 0), uid);
  answerLog("lenet5-worker-0", "2026-01-31T12:00:01Z one\n2026-01-31T12:00:02Z two\n");
  answerLog("lenet5-worker-0", "2026-01-31T12:00:02Z two\n2026-01-31T12:00:03Z three\n", -1);
  const std::jthread controller([this] {
    waitForReads("lenet5-worker-0", 2);
    endPod("lenet5-worker-0");
    waitForReads("lenet5-worker-0", 3);
    endJob();
  });

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(out.str() == "[worker-0] one\n[worker-0] two\n[worker-0] three\n");
  const auto goes_on = [](const fake::Seen& seen) {
    return contains(seen.target, "sinceTime=2026-01-31T12%3A00%3A02Z");
  };
  BOOST_TEST(server.count(goes_on) >= 1U);
}

BOOST_AUTO_TEST_CASE(follows_pods_that_are_made_again) {
  options.follow = true;
  options.choice.tail = 5;
  addPod(podObject("worker", 0, 1), uid);
  answerLog("lenet5-worker-0", "2026-01-31T12:00:01Z first life\n", -1);
  const std::jthread controller([this] {
    waitForReads("lenet5-worker-0", 1);
    endPod("lenet5-worker-0");
    waitForLastRead("lenet5-worker-0");
    server.store().finish(podTarget("lenet5-worker-0"));
    server.behave();
    // The last read of the first life may still be on its way: it must not get the second's text.
    answerFollowedLog("lenet5-worker-0", "2026-01-31T12:05:01Z second life\n");
    answerLog("lenet5-worker-0", "", -1);
    const std::size_t before = reads("lenet5-worker-0");
    addPod(podObject("worker", 0, 2), uid);
    waitForReads("lenet5-worker-0", before + 1);
    endJob();
  });

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(out.str() == "[worker-0] first life\n[worker-0] second life\n");
  BOOST_TEST(err.str() == "--- attempt 2\n");
  // The second life is read from its beginning.
  const auto has_tail = [](const fake::Seen& seen) { return contains(seen.target, "tailLines"); };
  BOOST_TEST(server.count(has_tail) == 1U);
}

BOOST_AUTO_TEST_CASE(leaves_pods_of_a_namesake_alone) {
  options.follow = true;
  addPod(podObject("worker", 0), "uid-of-another-job");
  addPod(podObject("worker", 1), uid);
  answerLog("lenet5-worker-1", "2026-01-31T12:00:01Z ours\n", -1);
  const std::jthread controller([this] {
    waitForReads("lenet5-worker-1", 1);
    endJob();
  });

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(out.str() == "[worker-1] ours\n");
}

BOOST_AUTO_TEST_CASE(ends_on_ctrl_c) {
  options.follow = true;
  addPod(podObject("worker", 0), uid);
  answerLog("lenet5-worker-0", "", -1);
  const std::jthread user([this] {
    waitForReads("lenet5-worker-0", 1);
    stop.request_stop();
  });

  BOOST_TEST(run() == toInt(ExitCode::kInterrupted));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::logs_test
