#pragma once

#include <string>
#include <vector>

#include "experiment/findings/summary.h"
#include "experiment/findings/verdict.h"

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

/// The same cells, whose speeds a test sets.
struct MeasuredSpeeds : MeasuredExperiment {
  MeasuredSpeeds() {
    for (AxisValue& value : experiment.axes[0].values)
      value.settings = {{"spec.strategy.exchange", {}}, {"spec.server", {}}};
    outcomes.assign(4, {});
  }

  /// Three runs of a cell with so many steps a second, up to `spread` away from it.
  void set(std::size_t cell, double speed, double spread) {
    outcomes[cell].runs.clear();
    for (const double share : {-1.0, 0.0, 1.0})
      outcomes[cell].runs.push_back(run(10 / (speed * (1 + spread * share))));
  }
  void setAll(const std::vector<double>& speeds, double spread) {
    outcomes.assign(cells.size(), {});
    for (std::size_t cell = 0; cell < speeds.size(); ++cell)
      set(cell, speeds[cell], spread);
  }

  /// Compares the cells by a metric: each cell's runs learned these scores.
  void setLearned(Metric metric, Score score, const std::vector<std::vector<double>>& values) {
    experiment.measurement.metric = metric;
    for (std::size_t cell = 0; cell < values.size(); ++cell) {
      outcomes[cell].runs.resize(values[cell].size(), run(10));
      for (std::size_t i = 0; i < values[cell].size(); ++i)
        outcomes[cell].runs[i].learned.scores[score] = values[cell][i];
    }
  }

  Verdict verdict() const { return verdictOf(experiment, cells, summaries()); }
};

}  // namespace sumac::experiment
