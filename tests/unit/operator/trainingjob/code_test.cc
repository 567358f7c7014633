#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/operator_fixture.h"

// A job whose sources are in a ConfigMap that the user makes after it.

namespace sumac::trainingjob::code_test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

json withCode() {
  json manifest = aManifest();
  json& spec = manifest["spec"];
  spec.erase("model");
  spec.erase("data");
  spec["program"] = {{"command", {"python", "train.py"}},
                     {"code", {{"sha256", std::string(64, 'a')}, {"files", {"train.py"}}}}};
  spec["training"] = {{"batchSize", 64}, {"steps", 10}, {"logicalWorkers", 4}};
  spec["worker"]["template"] = json::parse(
      R"({"spec": {"containers": [{"name": "sumac", "image": "registry.example/mine:1"}]}})");
  return manifest;
}

struct Code : OperatorFixture {
  Code() { submit(withCode()); }

  std::string uid() const {
    return cluster.find(kube::kTrainingJobs, "lenet5")["metadata"]["uid"].get<std::string>();
  }
  std::string name() const { return "lenet5-code-" + uid().substr(0, 8); }
  void send(const std::string& owner) {
    cluster.put(kube::kConfigMaps,
                {{"metadata",
                  {{"name", name()},
                   {"namespace", "research"},
                   {"ownerReferences", json::array({{{"uid", owner}, {"controller", true}}})}}}});
  }
  int pods() const { return static_cast<int>(cluster.names(kube::kPods).size()); }
  void settleFor(seconds time) {
    for (seconds at(0); at < time; at += seconds(1)) {
      settle();
      advance(seconds(1));
    }
    settle();
  }
};

BOOST_FIXTURE_TEST_SUITE(code, Code)

BOOST_AUTO_TEST_CASE(is_waited_for_without_a_word_at_first) {
  settle();
  advance(milliseconds(100));
  settle();
  BOOST_TEST(pods() == 0);
  BOOST_TEST(reasonOf("Running") == "Pending");

  send(uid());
  advance(seconds(1));
  settle();
  BOOST_TEST(pods() == 3);
  BOOST_TEST(!events.has("CodeMissing"));
}

BOOST_AUTO_TEST_CASE(that_does_not_come_is_said_to_be_missing) {
  settleFor(seconds(8));
  BOOST_TEST(pods() == 0);
  BOOST_TEST(reasonOf("Running") == "CodeMissing");
  BOOST_TEST(events.has("CodeMissing"));
  BOOST_TEST(cluster.count("get configmaps/" + name()) < 8);

  send(uid());
  settleFor(seconds(11));
  BOOST_TEST(pods() == 3);
  runPods();
  settle();
  BOOST_TEST(reasonOf("Running") == "Running");
}

BOOST_AUTO_TEST_CASE(of_somebody_else_is_not_mounted) {
  send("another");
  settleFor(seconds(2));
  BOOST_TEST(pods() == 0);
  BOOST_TEST(reasonOf("Running") == "NameTaken");
}

BOOST_AUTO_TEST_CASE(that_somebody_deleted_is_missed_before_the_next_pod_is_made) {
  send(uid());
  settle();
  runPods();
  settle();
  BOOST_TEST(pods() == 3);
  cluster.erase(kube::kConfigMaps, name());
  endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 10; ++i) {
    settle();
    finishDeletions();
    advance(seconds(10));
  }
  BOOST_TEST(pods() == 0);
  BOOST_TEST(reasonOf("Running") == "CodeMissing");
  send(uid());
  settleFor(seconds(11));
  BOOST_TEST(pods() == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::code_test
