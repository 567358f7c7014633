#include "cli/experiment/sizing_study.h"

#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::cli::sizing_study_test {
namespace {

/// An experiment of the bundled job with these lines in its spec.
PreparedExperiment prepared(const std::string& spec, std::vector<std::string> sets) {
  std::ostringstream err;
  auto made = prepareExperiment(
      "apiVersion: sumac.dev/v1alpha1\nkind: Experiment\nmetadata: {name: study}\nspec:\n"
      "  jobPath: " SUMAC_SOURCE_FOLDER "/examples/lenet5-fashion-mini.yaml\n" +
          spec,
      "study.yaml", {std::move(sets)}, err);
  BOOST_TEST_REQUIRE(std::holds_alternative<PreparedExperiment>(made), err.str());
  return std::get<PreparedExperiment>(std::move(made));
}

const std::vector<std::string> kSizes{"training.logicalWorkers=8", "worker.minReplicas=1",
                                      "worker.maxReplicas=8"};

}  // namespace

BOOST_AUTO_TEST_SUITE(sizing_study)

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_here_is_told_with_what_to_do) {
  const auto refuse = [](const std::string& spec, std::vector<std::string> sets) {
    const auto checked = checkSizingHere(prepared(spec, std::move(sets)));
    BOOST_TEST_REQUIRE(!checked);
    BOOST_TEST((checked.error().code == ErrorCode::kUnsupported));
    BOOST_TEST(checked.error().message.find("spec.") != std::string::npos, checked.error().message);
  };
  refuse("  scale: [{at: 0s, workers: 1}]\n",
         {"training.logicalWorkers=8", "autoscaling.policy=throughput"});
  refuse("  events: [{at: 1s, kill: worker 0}]\n  measure: {metric: validationAccuracy}\n",
         {"data.validation=0.2"});
  refuse("  events: [{at: 1s, kill: worker 0}]\n",
         {"strategy.codec=fp16", "training.logicalWorkers=8"});
  refuse("  autoscaling: {policy: throughput}\n",
         {"strategy.codec=fp16", "training.logicalWorkers=8", "worker.minReplicas=1",
          "worker.maxReplicas=8"});
}

BOOST_AUTO_TEST_CASE(policies_fixed_sizes_and_events_can_be_measured_here) {
  const auto study = prepared(
      "  axes:\n    - field: autoscaling\n"
      "      values: [{policy: throughput}, {fixed: 2}, {hpa: {}}]\n"
      "  events: [{at: 1s, room: 2}, {at: 2s, kill: worker 0}]\n",
      kSizes);
  BOOST_TEST(checkSizingHere(study).has_value());
  const auto left_out = leftOutHere(study.cells);
  BOOST_TEST_REQUIRE(left_out.size() == 3U);
  BOOST_TEST(left_out[0] == "");
  BOOST_TEST(left_out[1] == "");
  BOOST_TEST(left_out[2] != "");
}

BOOST_AUTO_TEST_CASE(an_autoscaler_on_processor_time_runs_in_a_cluster_with_metrics) {
  auto study = prepared(
      "  axes:\n    - field: autoscaling\n      values: [{policy: throughput}, {hpa: {}}]\n",
      kSizes);
  BOOST_TEST(checkSizingOnCluster(study, 2).has_value());
  BOOST_TEST(leftOutOnCluster(study.cells, true)[1] == "");
  BOOST_TEST(leftOutOnCluster(study.cells, false)[1] != "");
  BOOST_TEST(leftOutOnCluster(study.cells, false)[0] == "");
  for (experiment::Cell& cell : study.cells)
    cell.conditions.is_emulated = true;
  BOOST_TEST(leftOutOnCluster(study.cells, true)[0] == "");
  BOOST_TEST(leftOutOnCluster(study.cells, true)[1] != "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::sizing_study_test
