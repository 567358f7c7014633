#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "cli/experiment/experiment.h"
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
    std::stop_source ctrl_c;
    ctrl_c.request_stop();
    return runExperimentOnCluster(options, *cluster, ctrl_c.get_token(), {in, out, err, {}});
  }
  bool hasFolder() const { return std::filesystem::exists(folder / "out"); }

  TemporaryFolder folder;
};

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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::cluster_experiment_test
