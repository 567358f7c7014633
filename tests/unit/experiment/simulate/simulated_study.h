#pragma once

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "job/model/network.h"
#include "tests/support/synthetic_profile.h"

#include "experiment/cells/cells.h"
#include "experiment/document/read.h"
#include "experiment/simulate/simulate.h"

namespace sumac::experiment {

/// An experiment with a job of 8 parts and 1 to 8 workers, and its cells.
struct SimulatedStudy {
  Experiment experiment;
  std::vector<Cell> cells;

  /// `spec` has lines of its document's spec.
  explicit SimulatedStudy(const std::string& spec) {
    const std::string job =
        "kind: TrainingJob\n"
        "apiVersion: sumac.dev/v1alpha1\n"
        "metadata: {name: base}\n"
        "spec:\n"
        "  model: {name: lenet5}\n"
        "  data: {name: fashion-mnist-mini}\n"
        "  training:\n"
        "    batchSize: 64\n"
        "    logicalWorkers: 8\n"
        "    threads: 1\n"
        "    optimizer: {name: sgd, learningRate: \"0.05\"}\n"
        "  worker: {minReplicas: 1, maxReplicas: 8}\n"
        "  server: {replicas: 1}\n"
        "  security: {transport: none}\n";
    auto reading = readExperiment(
        "apiVersion: sumac.dev/v1alpha1\nkind: Experiment\nmetadata: {name: study}\nspec:\n"
        "  jobPath: job.yaml\n"
        "  compute: emulated\n" +
            spec,
        "study.yaml", [&job](const std::string& path) {
          return Result<NamedFile>(NamedFile{path, job});
        });
    BOOST_REQUIRE_MESSAGE(reading.experiment.has_value(), job::problemList(reading.problems));
    experiment = *std::move(reading.experiment);
    Cells made = makeCells(experiment, {}, /*is_for_cluster=*/false);
    BOOST_TEST_REQUIRE(made.problems == std::vector<std::string>{},
                       boost::test_tools::per_element());
    cells = std::move(made.cells);
  }

  std::vector<JobProfile> profiles() const {
    return {syntheticProfile(cells.front().job, *model::resolve(*model::fromZoo("lenet5")))};
  }

  std::vector<SimulatedCell> play() const { return simulateCells(experiment, cells, profiles()); }
};

/// Links on which the best size is in the middle: one server's is that of all workers.
inline const std::string kSizings =
    "  link: {rate: 100Mbit}\n"
    "  slowdown: \"200\"\n"
    "  steps: 2000\n"
    "  axes:\n"
    "    - name: sizing\n"
    "      field: autoscaling\n"
    "      values:\n"
    "        - {policy: throughput, stabilizationSeconds: 3}\n"
    "        - {policy: efficiency, stabilizationSeconds: 3}\n"
    "        - {policy: deadline, deadlineSeconds: 450, cost: {workerHour: 1, serverHour: 0.5}}\n"
    "        - {fixed: 1}\n"
    "        - {fixed: 4}\n"
    "        - {fixed: 8}\n"
    "        - {hpa: {targetUtilization: 30}}\n";

}  // namespace sumac::experiment
