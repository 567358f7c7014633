#include "cli/experiment/prepared_experiment.h"

#include <fstream>
#include <sstream>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::prepared_experiment_test {
namespace {

/// An experiment of the bundled job with these lines in its spec.
std::string study(const std::string& spec) {
  return "apiVersion: sumac.dev/v1alpha1\nkind: Experiment\nmetadata: {name: study}\nspec:\n" +
         spec;
}

const std::string kBundled =
    "  jobPath: " SUMAC_SOURCE_FOLDER "/examples/lenet5-fashion-mini.yaml\n";
const std::string kTwo = "  axes: [{field: worker.replicas, values: [1, 2]}]\n";

/// How preparing it ended; kDone where all cells can run.
ExitCode refused(const std::string& text, const std::string& file,
                 const PreparationOptions& options, std::ostream& err) {
  const auto made = prepareExperiment(text, file, options, err);
  const auto* const code = std::get_if<ExitCode>(&made);
  return code == nullptr ? ExitCode::kDone : *code;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(prepared_experiment)

BOOST_AUTO_TEST_CASE(a_valid_experiment_is_called_that) {
  std::ostringstream out;
  std::ostringstream err;
  BOOST_TEST(validateExperiment(study(kBundled + kTwo), "-", {}, out, err) ==
             toInt(ExitCode::kDone));
  BOOST_TEST(out.str() == "<stdin> is valid: Experiment study, 2 cells\n");
  BOOST_TEST(err.str() == "");
}

BOOST_AUTO_TEST_CASE(a_job_is_found_from_the_folder_of_the_document) {
  const TemporaryFolder folder;
  std::ofstream(folder / "job.yaml") << "kind: [\n";
  std::ostringstream out;
  std::ostringstream err;
  const auto file = (folder / "study.yaml").string();
  BOOST_TEST(validateExperiment(study("  jobPath: job.yaml\n"), file, {}, out, err) ==
             toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(err.str().starts_with((folder / "job.yaml").string() + ":"));
}

BOOST_AUTO_TEST_CASE(a_missing_job_is_one_problem) {
  std::ostringstream err;
  BOOST_TEST((refused(study("  jobPath: gone.yaml\n"), "dir/study.yaml", {}, err) ==
              ExitCode::kBadConfiguration));
  BOOST_TEST(err.str().starts_with("dir/study.yaml:5:12 spec.jobPath: "));
  BOOST_TEST(err.str().find("dir/gone.yaml") != std::string::npos);
  BOOST_TEST(err.str().ends_with("1 problem in dir/study.yaml\n"));
}

BOOST_AUTO_TEST_CASE(too_many_cells_are_refused_before_they_are_made) {
  std::ostringstream err;
  BOOST_TEST(
      (refused(study(kBundled + kTwo), "study.yaml", {{}, 1}, err) == ExitCode::kBadConfiguration));
  BOOST_TEST(err.str() ==
             "error: the axes of study.yaml have more than 1 combinations; --max-cells allows "
             "more\n");
  BOOST_TEST((refused(study(kBundled + kTwo), "study.yaml", {{}, 2}, err) == ExitCode::kDone));
}

BOOST_AUTO_TEST_CASE(a_value_that_no_axis_has_is_a_mistake_of_the_command_line) {
  std::ostringstream err;
  PreparationOptions options;
  options.only = {"worker.replicas=3"};
  BOOST_TEST((refused(study(kBundled + kTwo), "study.yaml", options, err) == ExitCode::kUsage));
  options.only = {"worker.replicas"};
  BOOST_TEST((refused(study(kBundled + kTwo), "study.yaml", options, err) == ExitCode::kUsage));
  BOOST_TEST(err.str().find("worker.replicas=2") != std::string::npos, err.str());
}

BOOST_AUTO_TEST_CASE(a_cell_that_cannot_run_is_named_before_anything_runs) {
  std::ostringstream err;
  const std::string axes = "  axes: [{field: training.batchSize, values: [64, 0]}]\n";
  BOOST_TEST(
      (refused(study(kBundled + axes), "study.yaml", {}, err) == ExitCode::kBadConfiguration));
  BOOST_TEST(err.str().find("    in training.batchSize=0\n") != std::string::npos);
  BOOST_TEST(err.str().ends_with("nothing was run\n"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::prepared_experiment_test
