#include "cli/cluster/describe_text.h"

#include <boost/test/unit_test.hpp>

#include "cli/cluster/describe_spec.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::describe_text_test {

namespace {

using Json = nlohmann::json;

Description description(Json object) {
  auto job = readJob(std::make_shared<const Json>(std::move(object)));
  if (!job) throw std::runtime_error(job.error().message);
  return {*std::move(job), {}, {}, {}, {}};
}

std::string text(const Description& what) {
  return describeText(what, at("12:03:00"), "sumac");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(describe_text)

BOOST_AUTO_TEST_CASE(tells_spec_status_and_next_step) {
  Json object = jobObject();
  object["status"] = statusObject("Running", condition("Running", "Running", "2 of 2 are ready"));
  object["status"]["progress"] = progressObject(20);

  const std::string shown = text(description(object));

  for (const char* part :
       {"Name:          lenet5\n", "State:         Running\n", "Age:           3m\n",
        "Attempt:       0 (0 restarts, 0 pods replaced, 0 disruptions)\n",
        "  Model: lenet5\n  Data: fashion-mnist-mini\n",
        "  Training: batch 64, 5 epochs, sgd 0.1\n", "  Workers: 2 (elastic, 1 to 4)\n",
        "step 120/600 (20 %)", "  Running: 2 of 2 are ready\n", "Pods:\n  none\n",
        "Events:\n  none\n", "Next:\n  `sumac top lenet5`"})
    BOOST_TEST(contains(shown, part), part << " in\n" << shown);
}

BOOST_AUTO_TEST_CASE(tells_of_a_job_whose_workers_sum) {
  Json object = jobObject();
  object["spec"].erase("server");
  object["spec"]["strategy"] = {{"exchange", "allReduce"}, {"algorithm", "direct"}};
  object["spec"]["training"]["optimizer"].erase("name");
  std::string shown = text(description(object));
  BOOST_TEST(contains(shown, "  Strategy: allReduce, direct\n"), shown);
  BOOST_TEST(contains(shown, "  Training: batch 64, 5 epochs, sgd 0.1\n"), shown);
  BOOST_TEST(contains(shown, "  Servers: none: the workers sum the gradients\n"), shown);

  object["spec"]["strategy"] = {{"exchange", "parameterServer"}, {"topology", "decentralized"}};
  shown = text(description(object));
  BOOST_TEST(contains(shown, "  Servers: none: the workers sum the gradients\n"), shown);
}

BOOST_AUTO_TEST_CASE(tells_the_last_failure_with_what_its_exit_code_means) {
  Json object = jobObject();
  object["status"] = statusObject("Failed", condition("Failed", "BackoffLimitExceeded"));
  object["status"]["lastFailure"] = {
      {"podName", "lenet5-worker-1"}, {"podUID", "u"},
      {"reason", "OOMKilled"},        {"exitCode", 137},
      {"message", "at step 7"},       {"time", "2026-01-31T12:02:00Z"}};

  const std::string shown = text(description(object));

  BOOST_TEST(contains(shown,
                      "Last failure:\n  60s ago: pod lenet5-worker-1, OOMKilled\n"
                      "  exit code 137 (killed, often for using too much memory)\n  at step 7\n"),
             shown);
}

BOOST_AUTO_TEST_CASE(tells_the_result) {
  Json object = jobObject();
  object["status"] = statusObject("Succeeded", condition("Succeeded", "Completed"));
  object["status"]["result"] = {{"loss", "0.3"}, {"testAccuracy", "0.91"}, {"steps", 600}};

  BOOST_TEST(contains(text(description(object)),
                      "Result:\n  loss: 0.3\n  test accuracy: 0.91\n  steps: 600\n"));
}

BOOST_AUTO_TEST_CASE(tells_why_a_pod_waits) {
  Json pod = podObject("worker", 0);
  pod["status"]["phase"] = "Pending";
  pod["status"]["conditions"] = Json::array();
  pod["status"]["containerStatuses"][0]["state"] = {
      {"waiting", {{"reason", "ImagePullBackOff"}, {"message", "no such\nimage"}}}};
  Description what = description(jobObject());
  what.pods = {podOf(pod), podOf(podObject("worker", 1))};

  const std::string shown = text(what);

  BOOST_TEST(contains(shown, "lenet5-worker-0   1         ImagePullBackOff   no "), shown);
  BOOST_TEST(contains(shown, "lenet5-worker-1   1         Running            yes     node-a"),
             shown);
  BOOST_TEST(contains(shown, "  lenet5-worker-0: no such image\n"), shown);
}

BOOST_AUTO_TEST_CASE(says_in_its_place_what_could_not_be_read) {
  Description what = description(jobObject());
  what.pods_problem = "you may not list pods";
  what.events_problem = "you may not list events";

  const std::string shown = text(what);

  BOOST_TEST(contains(shown, "Pods:\n  you may not list pods\n"));
  BOOST_TEST(contains(shown, "Events:\n  you may not list events\n"));
}

BOOST_AUTO_TEST_CASE(reads_events_of_every_form) {
  const EventLine core = eventLine({{"type", "Warning"},
                                    {"reason", "Restarting"},
                                    {"message", "a\nb"},
                                    {"count", 3},
                                    {"involvedObject", {{"kind", "Pod"}, {"name", "p"}}},
                                    {"lastTimestamp", "2026-01-31T12:00:00Z"}});
  const EventLine series = eventLine({{"lastTimestamp", nullptr},
                                      {"eventTime", "2026-01-31T12:00:00.000000Z"},
                                      {"series", {{"lastObservedTime", "2026-01-31T12:00:01Z"}}}});

  BOOST_TEST(core.message == "a b");
  BOOST_TEST(core.count == 3);
  BOOST_TEST(core.object == "Pod/p");
  BOOST_TEST((core.last == at("12:00:00")));
  BOOST_TEST((series.last == at("12:00:01")));
  BOOST_TEST(!eventLine(Json::object()).last.has_value());
  BOOST_TEST(!eventLine({{"reason", 5}, {"involvedObject", "x"}, {"count", "y"}}).last.has_value());
}

BOOST_AUTO_TEST_CASE(names_how_a_pod_is) {
  Json pod = podObject("worker", 0);
  BOOST_TEST(podStatus(podOf(pod)) == "Running");
  pod["status"]["containerStatuses"][0]["state"] = {
      {"terminated", {{"exitCode", 137}, {"reason", "OOMKilled"}}}};
  BOOST_TEST(podStatus(podOf(pod)) == "OOMKilled (137)");
  pod["status"]["containerStatuses"][0]["state"] = {{"terminated", {{"exitCode", 0}}}};
  BOOST_TEST(podStatus(podOf(pod)) == "Completed");
  pod["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z";
  BOOST_TEST(podStatus(podOf(pod)) == "Terminating");
}

BOOST_AUTO_TEST_CASE(summarises_any_spec) {
  BOOST_TEST(specLines(Json()).empty());
  for (const auto& [name, value] : specLines({{"model", 5}, {"training", "x"}, {"worker", {1, 2}}}))
    BOOST_TEST((value.empty() || name == "Workers"), name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::describe_text_test
