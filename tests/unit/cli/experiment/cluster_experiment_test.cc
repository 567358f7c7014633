#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "cli/experiment/experiment.h"
#include "cli/experiment/room_plan.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::cluster_experiment_test {
namespace {

struct Fixture : ClusterFixture {
  /// Measures the bundled job with these lines in the experiment's spec; stopped before it begins.
  ExitCode run(const std::string& spec, std::vector<std::string> sets = {}) {
    const auto file = folder / "study.yaml";
    const std::string text =
        "apiVersion: sumac.dev/v1alpha1\nkind: Experiment\nmetadata: {name: study}\nspec:\n"
        "  jobPath: " SUMAC_SOURCE_FOLDER "/examples/lenet5-fashion-mini.yaml\n" +
        spec;
    BOOST_REQUIRE(replaceFile(file, asBytes(text)).has_value());
    ExperimentOptions options;
    options.file = file.string();
    options.preparation.is_for_cluster = true;
    options.preparation.sets = std::move(sets);
    options.cluster_options = " --context staging";
    options.output = folder / "out";
    options.parallel = parallel;
    std::stop_source ctrl_c;
    ctrl_c.request_stop();
    const Cluster named{*client,        *transport,       cluster->watch,      clock,
                        wall_clock,     stop.get_token(), cluster->name_space, is_namespace_named,
                        cluster->server};
    return runExperimentOnCluster(options, named, ctrl_c.get_token(), {in, out, err, {}});
  }
  /// The same of jobs of which one to three workers train.
  ExitCode runSized(const std::string& spec) {
    return run(spec, {"training.logicalWorkers=4", "worker.minReplicas=1", "worker.maxReplicas=3"});
  }
  void checkSaid(const char* golden) {
    std::string said = test::replaced(err.str(), folder.path().string(), "FOLDER");
    test::checkGolden(golden, test::replaced(said, cluster->server, "SERVER"));
  }
  bool hasFolder() const { return std::filesystem::exists(folder / "out"); }

  TemporaryFolder folder;
  int parallel = 1;
  bool is_namespace_named = false;
};

constexpr const char* kRoom = "  events: [{at: 20s, room: 2}, {at: 40s, room: 3}]\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cluster_experiment, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(the_command_to_go_on_names_the_cluster) {
  BOOST_TEST(toInt(run("")) == toInt(ExitCode::kInterrupted));
  BOOST_TEST(contains(err.str(), "study.yaml --cluster --context staging --output-dir "));
  BOOST_TEST(hasFolder());
}

BOOST_AUTO_TEST_CASE(a_cluster_that_does_not_answer_leaves_no_folder) {
  server.stop();
  BOOST_TEST(toInt(run("")) == toInt(ExitCode::kFailed));
  BOOST_TEST(!hasFolder());
}

BOOST_AUTO_TEST_CASE(a_script_of_sizes_needs_a_volume_where_members_may_not_change) {
  const std::string script = "  scale: [{at: 0s, workers: 1}, {at: 1s, workers: 2}]\n";
  BOOST_TEST(toInt(run(script, {"strategy.codec=bf16"})) == toInt(ExitCode::kBadConfiguration));
  test::checkGolden("cli/experiment/scale_without_volume.txt", err.str());
  BOOST_TEST(!hasFolder());
  BOOST_TEST(toInt(run(script)) == toInt(ExitCode::kInterrupted));
}

BOOST_AUTO_TEST_CASE(room_is_refused_where_others_have_pods) {
  nlohmann::json pod = podObject("worker", 0);
  pod["metadata"].erase("labels");
  pod["metadata"]["name"] = "web-0";
  addPod(pod, "uid-of-a-set");
  BOOST_TEST(toInt(runSized(kRoom)) == toInt(ExitCode::kFailed));
  checkSaid("cli/experiment/room/foreign_namespace.txt");
  BOOST_TEST(!hasFolder());
  BOOST_TEST(server.count([](const fake::Seen& seen) { return seen.method != "GET"; }) == 0U);
}

BOOST_AUTO_TEST_CASE(what_needs_no_room_does_not_mind_other_pods) {
  addPod(podObject("worker", 0), "uid-of-a-set");
  BOOST_TEST(toInt(runSized("  autoscaling: {policy: throughput}\n")) ==
             toInt(ExitCode::kInterrupted));
  BOOST_TEST(toInt(runSized("  events: [{at: 1s, kill: worker 0}]\n")) != toInt(ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(a_namespace_that_is_named_is_made) {
  const fake::Target target{"v1", "namespaces", "", "default", ""};
  BOOST_TEST(toInt(runSized(kRoom)) == toInt(ExitCode::kInterrupted));
  BOOST_TEST(server.store().get(target).status == 404);
  is_namespace_named = true;
  BOOST_TEST(toInt(runSized(kRoom)) == toInt(ExitCode::kInterrupted));
  BOOST_TEST(server.store().get(target).status == 200);
  BOOST_TEST(contains(err.str(), "namespace default"));
  err.str("");
  BOOST_TEST(toInt(runSized(kRoom)) == toInt(ExitCode::kInterrupted));
  BOOST_TEST(!contains(err.str(), "namespace default"));
}

BOOST_AUTO_TEST_CASE(what_an_earlier_experiment_left_is_removed_before_anything_runs) {
  const ExperimentMark dead{"dead", "1111111111"};
  const fake::Target target{"v1", "resourcequotas", "default", "", ""};
  BOOST_REQUIRE(server.store().create(target, quotaObject(dead, {"job", "uid"}, 2)).status == 201);
  BOOST_TEST(toInt(run("")) == toInt(ExitCode::kInterrupted));
  BOOST_TEST(contains(err.str(), quotaNameOf(dead)));
  BOOST_TEST(server.store().all("resourcequotas").empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_in_a_cluster_is_told_with_what_to_do) {
  const auto refuse = [this](const std::string& spec) {
    BOOST_TEST(toInt(runSized(spec)) == toInt(ExitCode::kBadConfiguration), spec);
  };
  refuse("  compute: emulated\n  events: [{at: 20s, slow: {worker: 1, factor: 2}}]\n");
  refuse("  autoscaling: {hpa: {periodSeconds: 30}}\n");
  refuse("  autoscaling: {hpa: {tolerance: 0.2}}\n");
  parallel = 2;
  refuse(kRoom);
  checkSaid("cli/experiment/room/refused.txt");
  BOOST_TEST(!hasFolder());
}

// Of the metrics that it needs: the fake API server has no such type, and lists nothing.
BOOST_AUTO_TEST_CASE(an_autoscaler_on_processor_time_needs_metrics) {
  server.misbehave({.target_contains = "metrics.k8s.io",
                    .answer = fake::failure(404, "NotFound", "page not found")});
  BOOST_TEST(toInt(runSized("  autoscaling: {hpa: {}}\n")) != toInt(ExitCode::kInterrupted));
  BOOST_TEST(contains(out.str() + err.str(), "metrics-server"), out.str() + err.str());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::cluster_experiment_test
