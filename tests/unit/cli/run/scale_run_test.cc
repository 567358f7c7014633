#include "cli/run/scale_run.h"

#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "cli/run/folder.h"
#include "cli/run/resume.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::scale_run_test {
namespace {

/// A folder of a run of a job with this strategy.
struct Run {
  explicit Run(const std::string& strategy, const std::string& worker = "{replicas: 2}") {
    const std::string job = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: fake}
spec:
  model: {name: lenet5}
  data: {name: fashion-mnist-mini}
  training: {batchSize: 64, steps: 10, logicalWorkers: 4, optimizer: {learningRate: "0.1"}}
  strategy: )" + strategy +
                            "\n  worker: " + worker + "\n";
    BOOST_REQUIRE(replaceFile(run.job(), asBytes(job)).has_value());
  }

  /// What is said, without the place of the folder.
  std::string scale(int workers) {
    std::ostringstream said;
    code = scaleRun(folder.path(), workers, said, said);
    std::string text = said.str();
    const std::string place = folder.path().string();
    for (auto at = text.find(place); at != text.npos; at = text.find(place))
      text.replace(at, place.size(), "RUN");
    return text;
  }

  bool isAsked() const { return std::filesystem::exists(run.workers()); }

  TemporaryFolder folder;
  RunFolder run{folder.path()};
  ExitCode code = ExitCode::kDone;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(scale_run)

BOOST_AUTO_TEST_CASE(asks_the_run_that_trains) {
  Run run("{}");
  const auto lock = lockFolder(run.run);
  std::string said = run.scale(4);
  BOOST_TEST((run.code == ExitCode::kDone));
  BOOST_TEST(readTextFile(run.run.workers(), 100).value() == "4\n");
  test::checkGolden("cli/run/scale_asks.txt", said);
}

BOOST_AUTO_TEST_CASE(refuses_what_the_run_could_not_do) {
  std::string said;
  for (const char* const strategy :
       {"{}", "{exchange: allReduce, algorithm: ring}", "{codec: bf16}"}) {
    Run run(strategy);
    const auto lock = lockFolder(run.run);
    said += run.scale(5);
    BOOST_TEST((run.code == ExitCode::kFailed));
    BOOST_TEST(!run.isAsked());
  }
  Run autoscaled("{}\n  autoscaling: {policy: throughput}",
                 "{replicas: 2, minReplicas: 1, maxReplicas: 4}");
  const auto held = lockFolder(autoscaled.run);
  said += autoscaled.scale(3);
  BOOST_TEST((autoscaled.code == ExitCode::kFailed));
  BOOST_TEST(!autoscaled.isAsked());
  Run idle("{}");
  said += idle.scale(3);
  BOOST_TEST((idle.code == ExitCode::kFailed));
  BOOST_TEST(!idle.isAsked());
  std::filesystem::remove(idle.run.job());
  said += idle.scale(3);
  BOOST_TEST((idle.code == ExitCode::kUsage));
  test::checkGolden("cli/run/scale_refusals.txt", said);
}

BOOST_AUTO_TEST_CASE(a_run_is_told_from_a_job_by_its_folder) {
  const Run run("{}");
  BOOST_TEST(isRunFolder(run.folder.path().string()));
  BOOST_TEST(isRunFolder("runs/lenet5"));
  BOOST_TEST(!isRunFolder("lenet5"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::scale_run_test
