#include "cli/cluster/describe_text.h"

#include <boost/test/unit_test.hpp>

#include "cli/cluster/describe_spec.h"
#include "tests/support/golden.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::describe_text_test {

namespace {

using Json = nlohmann::json;

Description description(Json object) {
  auto job = readJob(std::make_shared<const Json>(std::move(object)));
  if (!job) throw std::runtime_error(job.error().message);
  return {*std::move(job), {}, {}, {}, {}};
}

std::string text(const Description& what, int columns = 0) {
  return describeText(what, at("12:03:00"), "sumac", {.columns = columns});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(describe_text)

BOOST_AUTO_TEST_CASE(tells_of_a_job_in_every_state) {
  test::Transcript said;
  said.add("new", text(description(jobObject())));
  for (const auto& [state, held] :
       {std::pair("Pending", condition("Running", "QuotaExceeded", "no room", "False")),
        std::pair("Running", condition("Running", "Running", "2 of 2 are ready")),
        std::pair("Restarting", condition("Restarting", "LostPeers")),
        std::pair("Suspended", condition("Suspended", "Suspended")),
        std::pair("Succeeded", condition("Succeeded", "Completed")),
        std::pair("Failed", condition("Failed", "BackoffLimitExceeded"))}) {
    Json object = jobObject();
    object["status"] = statusObject(state, held);
    Json& status = object["status"];
    const std::string name = state;
    if (name == "Running") status["progress"] = progressObject(20);
    if (name == "Succeeded")
      status["result"] = {{"loss", "0.3"}, {"testAccuracy", "0.91"}, {"steps", 600}};
    if (name == "Failed") {
      status["lastFailure"] = {{"podName", "lenet5-worker-1"}, {"podUID", "u"},
                               {"reason", "OOMKilled"},        {"exitCode", 137},
                               {"message", "at step 7"},       {"time", "2026-01-31T12:02:00Z"}};
    }
    said.add(name, text(description(object)));
  }
  test::checkGolden("cli/cluster/describe_states.txt", said.text());
}

BOOST_AUTO_TEST_CASE(tells_of_a_job_whose_workers_sum) {
  Json object = jobObject();
  object["spec"].erase("server");
  object["spec"]["strategy"] = {{"exchange", "allReduce"}, {"algorithm", "direct"}};
  object["spec"]["training"]["optimizer"].erase("name");
  test::Transcript said;
  said.add("all-reduce", text(description(object)));
  object["spec"]["strategy"] = {{"exchange", "parameterServer"}, {"topology", "decentralized"}};
  said.add("decentralized", text(description(object)));
  test::checkGolden("cli/cluster/describe_without_servers.txt", said.text());
}

BOOST_AUTO_TEST_CASE(tells_what_a_job_that_sizes_itself_does_and_why) {
  Json object = jobObject();
  object["spec"]["autoscaling"] = {{"policy", "throughput"}};
  object["status"] = statusObject("Running", condition("Running", "Running", "2 of 2 are ready"));
  object["status"]["autoscaling"] = {{"workersWanted", 4},
                                     {"reason", "SavesTime"},
                                     {"message", "saves 20 s until the end; a step takes 0.05 s"},
                                     {"lastChangeTime", "2026-01-31T12:02:00Z"}};
  test::checkGolden("cli/cluster/describe_autoscaling.txt", text(description(object)));
}

BOOST_AUTO_TEST_CASE(tells_why_a_pod_waits_and_what_could_not_be_read) {
  Json pod = podObject("worker", 0);
  pod["status"]["phase"] = "Pending";
  pod["status"]["conditions"] = Json::array();
  pod["status"]["containerStatuses"][0]["state"] = {
      {"waiting", {{"reason", "ImagePullBackOff"}, {"message", "no such\nimage"}}}};
  Description what = description(jobObject());
  what.pods = {podOf(pod), podOf(podObject("worker", 1))};
  test::Transcript said;
  said.add("a pod waits", text(what));
  said.add("60 columns", text(what, 60));

  what.pods.clear();
  what.pods_problem = "you may not list pods";
  what.events_problem = "you may not list events";
  said.add("forbidden", text(what));
  test::checkGolden("cli/cluster/describe_pods.txt", said.text());
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

BOOST_AUTO_TEST_CASE(shows_the_command_of_a_program_in_place_of_a_network) {
  const Json spec{{"program", {{"command", {"python", "train.py", "a\nb", 5}}}}};
  const auto lines = specLines(spec);
  BOOST_TEST(lines.front().first == "Model");
  BOOST_TEST(lines.front().second == "program python train.py a b 5");
  BOOST_TEST(specLines({{"program", 5}}).front().second == "");
}

BOOST_AUTO_TEST_CASE(summarises_any_spec) {
  BOOST_TEST(specLines(Json()).empty());
  for (const auto& [name, value] : specLines({{"model", 5}, {"training", "x"}, {"worker", {1, 2}}}))
    BOOST_TEST((value.empty() || name == "Workers"), name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::describe_text_test
