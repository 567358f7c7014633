#pragma once

#include <string>
#include <vector>

#include "experiment/report/summary.h"

namespace sumac::experiment {

/// An experiment of two exchanges with one worker and with two, and what its cells measured.
struct MeasuredExperiment {
  MeasuredExperiment() {
    experiment.name = "study";
    experiment.measurement = {100, 20, 2, std::nullopt, 5};
    experiment.axes = {{"exchange", {{"server", {}}, {"ring", {}}}},
                       {"worker.replicas",
                        {{"1", {{"spec.worker.replicas", number("1")}}},
                         {"2", {{"spec.worker.replicas", number("2")}}}}}};
    for (const char* const exchange : {"server", "ring"}) {
      for (const int workers : {1, 2}) {
        Cell cell;
        cell.number = static_cast<int>(cells.size()) + 1;
        cell.values = {exchange, std::to_string(workers)};
        cell.job.worker.replicas = workers;
        cell.job.training.batch_size = 10;
        cells.push_back(cell);
      }
    }
    outcomes = {{{run(10), run(10)}, ""}, {{run(5), run(5)}, ""}, {{run(8), run(12)}, ""}, {}};
    outcomes[3].failure = "server-0 ended, with \"x\"\nmore";
  }

  static yaml::Node number(const char* text) {
    yaml::Node node;
    node.text = text;
    return node;
  }

  /// A run whose ten steps took so many seconds.
  static RunFigures run(double seconds) { return {10, seconds, {seconds / 10}}; }

  std::vector<CellSummary> summaries() const { return summarize(experiment, cells, outcomes); }

  Experiment experiment;
  std::vector<Cell> cells;
  std::vector<CellOutcome> outcomes;
};

}  // namespace sumac::experiment
