#include <filesystem>
#include <fstream>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "cli/cluster/submit.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/cli/cluster/cluster_fixture.h"

namespace sumac::cli::submit_code_test {

namespace {

constexpr const char* kJob = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: mine}
spec:
  program: {command: [python, train.py]}
  training: {batchSize: 64, epochs: 1, logicalWorkers: 2}
  output: {path: /v/o, volume: {persistentVolumeClaim: {claimName: a}}}
  checkpoint: {path: /v/c, volume: {persistentVolumeClaim: {claimName: a}}}
  worker:
    replicas: 2
    template: {spec: {containers: [{name: sumac, image: registry.example/mine:1}]}}
)";

struct Fixture : ClusterFixture {
  Fixture() {
    options.file = (folder / "job.yaml").string();
    options.code = (folder / "src").string();
    std::ofstream(options.file) << kJob;
    std::filesystem::create_directories(folder / "src/lib");
    write("train.py", "import lib.net\n");
    write("lib/net.py", std::string("\0\xff", 2));
  }

  void write(const std::string& name, const std::string& content) {
    std::ofstream(folder / "src" / name, std::ios::binary) << content;
  }
  int run() {
    out.str("");
    err.str("");
    return submit(cluster.get(), options, console);
  }
  nlohmann::json job() { return server.store().get(target("mine")).body; }
  fake::Target map() {
    const std::string uid = job()["metadata"]["uid"].get<std::string>();
    return {"v1", "configmaps", "default", "mine-code-" + uid.substr(0, 8), ""};
  }
  /// Of the requests that create something, which and how.
  std::string posts() {
    std::string posts;
    for (const auto& seen : server.seen()) {
      if (seen.method != "POST") continue;
      posts += contains(seen.target, "/configmaps") ? "code" : "job";
      posts += contains(seen.target, "dryRun=All") ? "? " : " ";
    }
    return posts;
  }

  TemporaryFolder folder;
  SubmitOptions options;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(submit_code, Fixture, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(creates_the_job_and_then_a_config_map_that_goes_with_it) {
  BOOST_TEST(run() == toInt(ExitCode::kDone), err.str());

  BOOST_TEST(out.str() == "trainingjob.sumac.dev/mine created\n");
  BOOST_TEST(posts() == "code? job code ");
  const auto code = job()["spec"]["program"]["code"];
  BOOST_TEST(code["files"] == nlohmann::json::array({"lib/net.py", "train.py"}));
  const auto stored = server.store().get(map()).body;
  BOOST_TEST(stored["immutable"] == true);
  BOOST_TEST(stored["data"]["f1"] == "import lib.net\n");
  BOOST_TEST(stored["binaryData"]["f0"] == "AP8=");
  const auto owner = stored["metadata"]["ownerReferences"][0];
  BOOST_TEST(owner["uid"] == job()["metadata"]["uid"]);
  BOOST_TEST(owner["controller"] == true);
  BOOST_TEST(contains(err.str(), code["sha256"].get<std::string>()), err.str());
}

BOOST_AUTO_TEST_CASE(sends_the_sources_that_an_earlier_submit_did_not_send) {
  // The question is answered.
  server.misbehave({.method = "POST",
                    .target_contains = "/configmaps",
                    .target_lacks = "dryRun",
                    .times = -1,
                    .drops_before = true});
  BOOST_TEST(run() == toInt(ExitCode::kFailed));
  BOOST_TEST(contains(err.str(), "`sumac delete mine -n default`"), err.str());
  BOOST_TEST(out.str().empty());
  BOOST_TEST(server.store().get(map()).status == 404);

  server.behave();
  BOOST_TEST(run() == toInt(ExitCode::kDone), err.str());
  BOOST_TEST(server.store().get(map()).status == 200);

  // And not a third time.
  BOOST_TEST(run() == toInt(ExitCode::kFailed));
  BOOST_TEST(contains(err.str(), "TrainingJob default/mine already exists"), err.str());
}

BOOST_AUTO_TEST_CASE(sends_no_other_sources_to_a_job_that_is_there) {
  server.misbehave({.method = "POST",
                    .target_contains = "/configmaps",
                    .target_lacks = "dryRun",
                    .times = -1,
                    .drops_before = true});
  run();
  server.behave();
  write("train.py", "import lib.other\n");
  BOOST_TEST(run() == toInt(ExitCode::kFailed));
  BOOST_TEST(contains(err.str(), "already exists"), err.str());
  BOOST_TEST(server.store().get(map()).status == 404);
}

BOOST_AUTO_TEST_CASE(creates_no_job_whose_sources_the_namespace_refuses) {
  server.misbehave({.method = "POST",
                    .target_contains = "/configmaps",
                    .answer = fake::Answer{
                        403, {{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "no"}}}});
  BOOST_TEST(run() == toInt(ExitCode::kFailed));
  BOOST_TEST(posts() == "code? ");
}

BOOST_AUTO_TEST_CASE(asks_only_in_a_dry_run) {
  options.dry_run = DryRun::kServer;
  BOOST_TEST(run() == toInt(ExitCode::kDone), err.str());
  BOOST_TEST(posts() == "code? job? ");
}

BOOST_AUTO_TEST_CASE(prints_the_section_without_a_cluster) {
  options.dry_run = DryRun::kClient;
  options.form = Form::kYaml;
  BOOST_TEST(submit(nullptr, options, console) == toInt(ExitCode::kDone));
  BOOST_TEST(contains(out.str(), "- lib/net.py"), out.str());
}

BOOST_AUTO_TEST_CASE(says_what_does_not_go_together) {
  test::Transcript said;
  const auto say = [&](const std::string& name, ExitCode code) {
    BOOST_TEST(run() == toInt(code), name);
    said.add(name, test::replaced(err.str(), folder.path().string(), "FOLDER"));
  };
  const std::string section =
      "program.code={sha256: " + std::string(64, 'a') + ", files: [train.py]}";
  options.sets = {"program=null", "model.name=lenet5", "data.name=fashion-mnist-mini",
                  "training.optimizer={name: sgd, learningRate: \"0.1\"}"};
  say("a network", ExitCode::kBadConfiguration);
  options.sets = {section};
  options.code.clear();
  say("no folder", ExitCode::kBadConfiguration);
  options.code = (folder / "missing").string();
  say("missing", ExitCode::kUsage);
  BOOST_TEST(posts() == "");
  test::checkGolden("cli/cluster/submit_code.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::submit_code_test
