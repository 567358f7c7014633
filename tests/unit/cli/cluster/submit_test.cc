#include "cli/cluster/submit.h"

#include <fstream>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "cli/cluster/submission.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::submit_test {

namespace {

constexpr const char* kJob = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: lenet5}
spec:
  model: {name: lenet5}
  data: {name: fashion-mnist-mini}
  training:
    batchSize: 64
    epochs: 1
    optimizer: {name: sgd, learningRate: "0.1"}
)";

struct Fixture : ClusterFixture {
  Fixture() {
    options.file = (folder / "job.yaml").string();
    std::ofstream(options.file) << kJob;
  }

  int run() { return submit(cluster.get(), options, console); }
  nlohmann::json stored() { return server.store().get(target("lenet5")).body; }
  bool isPost(const fake::Seen& seen) { return seen.method == "POST"; }
  std::string postTarget() {
    for (const auto& seen : server.seen()) {
      if (seen.method == "POST") return seen.target;
    }
    return "none";
  }

  TemporaryFolder folder;
  SubmitOptions options;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(submit_command, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(warns_of_what_the_pods_lack_and_of_what_dies_with_them) {
  const std::string claim = "volume.persistentVolumeClaim.claimName=a";
  const std::vector<std::string> kept = {"output.path=/v/o", "output." + claim,
                                         "checkpoint.path=/v/c", "checkpoint." + claim};
  const std::vector<std::string> own = {"data.name=null", "data.format=idx", "data.path=mnist"};
  const std::tuple<const char*, std::vector<std::string>, bool> cases[] = {
      {"nothing is kept", {}, true},
      {"kept in pods",
       {"output.path=/o", "checkpoint.path=/c", "checkpoint.volume.emptyDir={}"},
       true},
      {"kept on a claim", {}, false},
      {"data of no volume", own, true},
      {"data on a claim", {own[0], own[1], own[2], "data." + claim}, false},
      {"not available yet", {"strategy={exchange: allReduce, codec: int8}"}, true}};
  test::Transcript said;
  int number = 0;
  for (const auto& [name, sets, warns] : cases) {
    options.sets = sets;
    if (std::string(name).starts_with("data") || !warns)
      options.sets.insert(options.sets.end(), kept.begin(), kept.end());
    options.sets.push_back("metadata.name=job-" + std::to_string(number++));
    err.str("");
    BOOST_TEST(run() == toInt(ExitCode::kDone), name);
    BOOST_TEST(err.str().empty() == !warns, name);
    said.add(name, test::replaced(err.str(), folder.path().string(), "FOLDER"));
  }
  test::checkGolden("cli/cluster/submit_warnings.txt", said.text());
}

BOOST_AUTO_TEST_CASE(refuses_a_namespace_that_would_change_the_path) {
  options.sets = {"metadata.namespace=a/../b"};

  BOOST_TEST(run() == toInt(ExitCode::kBadConfiguration));

  BOOST_TEST(contains(err.str(), "`a/../b`"), err.str());
  BOOST_TEST(postTarget() == "none");
}

BOOST_AUTO_TEST_CASE(creates_the_job_as_it_was_written) {
  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(out.str() == "trainingjob.sumac.dev/lenet5 created\n");
  BOOST_TEST(contains(postTarget(), "fieldValidation=Strict"));
  const auto spec = stored()["spec"];
  BOOST_TEST(spec["training"]["batchSize"] == 64);
  BOOST_TEST(spec["training"]["optimizer"]["learningRate"] == "0.1");
  // Defaults are the API server's and the operator's.
  BOOST_TEST(!spec.contains("worker"));
}

BOOST_AUTO_TEST_CASE(applies_sets) {
  options.sets = {"training.epochs=7", "metadata.name=other", "worker.replicas=2"};

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  const auto object = server.store().get(target("other")).body;
  BOOST_TEST(object["spec"]["training"]["epochs"] == 7);
  BOOST_TEST(object["spec"]["worker"]["replicas"] == 2);
}

BOOST_AUTO_TEST_CASE(reads_standard_input) {
  options.file = "-";
  in.str(kJob);

  BOOST_TEST(run() == toInt(ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(sends_nothing_when_the_document_has_problems) {
  options.sets = {"training.epochs=0", "worker.replicas=0"};

  BOOST_TEST(run() == toInt(ExitCode::kBadConfiguration));

  BOOST_TEST(contains(err.str(), "spec.training.epochs"));
  BOOST_TEST(contains(err.str(), "spec.worker.replicas"));
  BOOST_TEST(server.seen().empty());
}

BOOST_AUTO_TEST_CASE(needs_no_cluster_for_a_dry_run_here) {
  options.dry_run = DryRun::kClient;
  options.form = Form::kYaml;

  BOOST_TEST(submit(nullptr, options, console) == toInt(ExitCode::kDone));

  BOOST_TEST(contains(out.str(), "kind: TrainingJob"));
  BOOST_TEST(server.seen().empty());
}

BOOST_AUTO_TEST_CASE(asks_the_server_for_a_dry_run_there) {
  options.dry_run = DryRun::kServer;

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(contains(postTarget(), "dryRun=All"));
}

BOOST_AUTO_TEST_CASE(says_that_a_job_is_there_already) {
  run();

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  BOOST_TEST(contains(err.str(), "TrainingJob default/lenet5 already exists"));
}

BOOST_AUTO_TEST_CASE(does_not_know_after_a_lost_answer_whether_the_job_was_made) {
  server.misbehave({.method = "POST", .times = -1, .drops_after = true});

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  BOOST_TEST(contains(err.str(), "`sumac get lenet5 -n default`"));
}

BOOST_AUTO_TEST_CASE(knows_that_nothing_was_sent_where_nobody_listens) {
  server.stop();

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  BOOST_TEST(contains(err.str(), "Nothing was sent"));
}

BOOST_AUTO_TEST_CASE(refuses_two_namespaces) {
  cluster->has_namespace_option = true;
  options.sets = {"metadata.namespace=other"};

  BOOST_TEST(run() == toInt(ExitCode::kUsage));

  BOOST_TEST(contains(err.str(), "the namespace other"));
}

BOOST_AUTO_TEST_CASE(takes_the_namespace_of_the_document) {
  options.sets = {"metadata.namespace=other"};

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(contains(postTarget(), "/namespaces/other/trainingjobs"));
}

BOOST_AUTO_TEST_CASE(takes_out_what_a_server_has_put_into_a_document) {
  const auto submission =
      readSubmission(std::string(kJob) + "status: {state: Running}\n", "job.yaml", {});
  BOOST_REQUIRE(submission);
  BOOST_TEST(!submission->object.contains("status"));
}

BOOST_AUTO_TEST_CASE(waits_for_the_end_and_ends_as_the_job_did) {
  options.watch = true;
  const std::jthread controller([this] {
    const auto is_watch = [](const fake::Seen& seen) { return seen.isWatch(); };
    server.waitFor(1, is_watch);
    auto status = statusObject("Running", condition("Running", "Running", "all ready"));
    setStatus("lenet5", status);
    status["progress"] = progressObject(50);
    setStatus("lenet5", status);
    status = statusObject("Failed", condition("Failed", "InvalidSpec", "no such layer"));
    setStatus("lenet5", status);
  });

  BOOST_TEST(run() == toInt(ExitCode::kBadConfiguration));

  BOOST_TEST(contains(err.str(), "Running: all ready"), err.str());
  BOOST_TEST(contains(err.str(), "step 300/600 (50 %)"), err.str());
  BOOST_TEST(contains(err.str(), "Failed: no such layer"), err.str());
}

BOOST_AUTO_TEST_CASE(prints_the_result_of_a_job_that_succeeded) {
  options.wait = true;
  const std::jthread controller([this] {
    server.waitFor(1, [](const fake::Seen& seen) { return seen.isWatch(); });
    auto status = statusObject("Succeeded", condition("Succeeded", "Completed"));
    status["result"] = {{"steps", 600}, {"loss", "0.3"}};
    setStatus("lenet5", status);
  });

  BOOST_TEST(run() == toInt(ExitCode::kDone));

  BOOST_TEST(contains(out.str(), "600 steps, loss 0.3"), out.str());
}

BOOST_AUTO_TEST_CASE(leaves_the_job_alone_on_ctrl_c) {
  options.wait = true;
  const std::jthread user([this] {
    server.waitFor(1, [](const fake::Seen& seen) { return seen.isWatch(); });
    stop.request_stop();
  });

  BOOST_TEST(run() == toInt(ExitCode::kInterrupted));

  BOOST_TEST(contains(err.str(), "The job continues"), err.str());
}

BOOST_AUTO_TEST_CASE(notices_that_the_job_was_deleted) {
  options.wait = true;
  const std::jthread user([this] {
    server.waitFor(1, [](const fake::Seen& seen) { return seen.isWatch(); });
    server.store().remove(target("lenet5"), nlohmann::json::object());
  });

  BOOST_TEST(run() == toInt(ExitCode::kFailed));

  test::checkGolden("cli/cluster/submit_deleted.txt", err.str());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::submit_test
