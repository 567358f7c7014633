#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "experiment/findings/findings.h"
#include "experiment/findings/summary.h"

namespace sumac::experiment {

/// An experiment with synthetic figures.
struct Study {
  Experiment experiment;
  std::vector<Cell> cells;
  std::vector<CellOutcome> outcomes;
  std::vector<CellSummary> summaries;
  Origin origin{"1.2.3",    "sumac experiment study.yaml", "lab-1", "A processor", 2, 8'000'000'000,
                "Linux 6.1"};

  Findings findings() const { return {experiment, cells, outcomes, summaries}; }
};

/// Runs whose speeds lie evenly around a mean, up to `spread` of it away.
inline std::vector<RunFigures> runsAround(double batches_per_second, double spread, int count) {
  constexpr std::int64_t kSteps = 100;
  std::vector<RunFigures> runs;
  for (int i = 0; i < count; ++i) {
    const double share = count < 2 ? 0 : 2.0 * i / (count - 1) - 1;
    const double step = 1 / (batches_per_second * (1 + spread * share));
    RunFigures run{kSteps, kSteps * step, {step}};
    run.phases = StepPhases{0.4 * step, 0.05 * step, 0.45 * step, 0.02 * step};
    run.bytes = StepBytes{180'000, 360'000};
    runs.push_back(run);
  }
  return runs;
}

inline Axis axisOf(const std::string& field, const std::vector<std::string>& values) {
  Axis axis{field, {}};
  for (const std::string& value : values) {
    axis.values.push_back({value, {{"spec." + field, {}}}});
    axis.values.back().settings.front().value.text = value;
  }
  return axis;
}

/// Adds the combination of all axes' values, the last fastest.
inline void addCells(Study& study) {
  std::vector<std::vector<std::string>> combinations{{}};
  for (const Axis& axis : study.experiment.axes) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& combination : combinations) {
      for (const AxisValue& value : axis.values) {
        longer.push_back(combination);
        longer.back().push_back(value.name);
      }
    }
    combinations = std::move(longer);
  }
  for (auto& values : combinations) {
    Cell cell;
    cell.number = static_cast<int>(study.cells.size()) + 1;
    cell.values = std::move(values);
    cell.job.training.batch_size = 64;
    study.cells.push_back(cell);
  }
  study.outcomes.resize(study.cells.size());
}

/// Two topologies and two links with 1, 2, 4 and 8 workers, predicted and three times measured;
/// those of more workers than two emulated.
inline Study largeStudy() {
  Study study;
  study.experiment.name = "central-or-decentralised";
  study.experiment.measurement = {200, 20, 3, std::nullopt, 7};
  study.experiment.axes = {
      axisOf("strategy.topology", {"central", "decentralised"}),
      {"link", {{"100 Mbit/s", {{"link.rate", {}}}}, {"1 Gbit/s", {{"link.rate", {}}}}}},
      axisOf("worker.replicas", {"1", "2", "4", "8"})};
  addCells(study);
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    Cell& cell = study.cells[i];
    const int workers = std::stoi(cell.values[2]);
    const bool is_slow = cell.values[1] == "100 Mbit/s";
    const bool is_central = cell.values[0] == "central";
    cell.job.worker.replicas = workers;
    cell.job.training.batch_size = 64 * workers;
    cell.conditions = {is_slow ? 100'000'000 : 1'000'000'000, workers > 2};
    const double exchange = (is_slow ? 0.012 : 0.002) * (is_central ? workers : 1.3);
    const double speed = 1 / (0.01 + (workers == 1 && !is_central ? 0 : exchange));
    study.outcomes[i].runs = runsAround(speed, 0.02 + 0.004 * static_cast<double>(i % 5), 3);
  }
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    study.summaries[i].predicted_batches_per_second =
        study.summaries[i].batches_per_second->mean * (0.94 + 0.01 * static_cast<double>(i % 9));
    study.summaries[i].textbook_seconds = 0.85 / study.summaries[i].batches_per_second->mean;
  }
  return study;
}

/// One server and two, with links of a rate and predictions, of which one was fitted; a cell whose
/// runs are far apart, and one that failed.
inline Study mixedStudy() {
  Study study;
  study.experiment.name = "servers";
  study.experiment.measurement = {100, 10, 2, StopRule{0.05, 6}, 1};
  study.experiment.axes = {axisOf("server.replicas", {"1", "2"}),
                           axisOf("training.optimizer.learningRate", {"0.05", "0.2"}),
                           axisOf("data.name", {"mnist"})};
  addCells(study);
  constexpr double kSpeeds[] = {100, 40, 150};
  constexpr double kSpreads[] = {0.01, 0.9, 0.01};
  for (std::size_t i = 0; i < 3; ++i) {
    study.outcomes[i].runs = runsAround(kSpeeds[i], kSpreads[i], 2);
    study.outcomes[i].predicted_batches_per_second = 95;
    study.outcomes[i].textbook_seconds = 0.012;
  }
  for (Cell& cell : study.cells) {
    cell.job.server.replicas = std::stoi(cell.values[0]);
    cell.job.worker.replicas = 2;
    cell.conditions.link_bits_per_second = 1'000'000'000;
  }
  study.outcomes[1].is_fitted = true;
  for (std::size_t i = 0; i < 3; ++i)
    study.cells[i].conditions.is_emulated = true;
  study.outcomes[2].runs[0].computing = {.median = 1.25e-3, .lower = 1.2e-3, .upper = 1.3e-3};
  study.outcomes[2].runs[1].computing = {
      .median = 3.66e-3, .lower = 2e-3, .upper = 5e-3, .waited = 0.4};
  study.cells[3].conditions = {std::nullopt, true, 2.5};
  study.outcomes[3].failure = "server-0 ended, with \"x\"\nno memory";
  study.origin.predictions.why_not = {"the batch is too large"};
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

/// Two learning rates with two sizes of a mini-batch, compared by what they learn.
inline Study learningStudy() {
  Study study;
  study.experiment.name = "learning-rates";
  study.experiment.measurement = {500, 10, 3, StopRule{0.02, 6}, 1, Metric::kValidationAccuracy};
  study.experiment.axes = {axisOf("training.optimizer.learningRate", {"0.05", "0.2"}),
                           axisOf("training.batchSize", {"64", "256"})};
  addCells(study);
  constexpr double kAccuracies[] = {0.817, 0.75, 0.841, 0.79};
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    study.cells[i].is_reseeded = true;
    study.outcomes[i].runs = runsAround(100, 0.01, 3);
    for (std::size_t run = 0; run < 3; ++run) {
      const double away = 0.002 * (static_cast<double>(run) - 1);
      study.outcomes[i].runs[run].learned = {
          {{Score::kLoss, 0.9 - 0.5 * kAccuracies[i] + 10 * away},
           {Score::kValidAccuracy, kAccuracies[i] + away},
           {Score::kTestAccuracy, 1.6 - kAccuracies[i] - away}},
          run + 1};
    }
  }
  study.outcomes[1].runs[0].learned.scores[Score::kValidAccuracy] = 0.6;
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

/// Names that mean something in HTML, one very long; one cell failed, one has one run, one none.
inline Study hostileStudy() {
  Study study;
  const std::string script = "<script>alert(\"x\")</script>";
  study.experiment.name = script + " & 'more'";
  study.experiment.measurement = {100, 10, 3, StopRule{0.05, 6}, 1};
  study.experiment.axes = {
      {"<b>axis", {{script, {}}, {"a&b", {}}, {std::string(120, 'w'), {}}, {"\xff", {}}}}};
  addCells(study);
  study.outcomes[0].runs = runsAround(120, 0.3, 2);
  study.outcomes[1].runs = runsAround(80, 0, 1);
  study.outcomes[2].failure = "worker-0 ended: " + script + "\n" + std::string(300, 'x');
  study.origin.command = "sumac experiment '" + script + ".yaml'";
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

/// A job that grows from one worker to four and shrinks again, run so often.
inline Study scaledStudy(int runs) {
  constexpr int kWorkers[] = {1, 2, 4, 1};
  constexpr double kPhaseSeconds = 5;
  constexpr double kChangeSeconds = 0.4;
  constexpr double kTick = 0.02;
  constexpr int kStepsPerTick = 3;
  Study study;
  study.experiment.name = "scaling";
  study.experiment.measurement = {12'000, 20, runs, std::nullopt, 1};
  addCells(study);
  study.cells[0].job.training.batch_size = 256;
  for (int run = 0; run < runs; ++run) {
    ScaleRecord record{{}, {}, std::string(64, 'a'), {}};
    double now = 0;
    Step step = 1;
    for (const int workers : kWorkers) {
      if (!record.points.empty()) {
        record.changes.push_back(
            {now, step, record.points.back().workers, workers, kChangeSeconds});
        now += kChangeSeconds + 0.1 * run;
      }
      for (double spent = 0; spent < kPhaseSeconds; spent += kTick) {
        ScalePoint point{now, workers, step, std::nullopt, 2.3 / (1 + 0.001 * double(step))};
        if (!record.points.empty()) {
          const ScalePoint& before = record.points.back();
          point.batches_per_second = double(step - before.step) / (now - before.seconds);
        }
        record.points.push_back(point);
        now += kTick;
        step += kStepsPerTick * workers;
      }
      const double seconds = kTick / (kStepsPerTick * workers);
      record.times.push_back(
          {workers, 750 * workers, {0.5 * seconds, 0.1 * seconds, 0.3 * seconds, 0}});
    }
    RunFigures figures{step, now, {now / double(step)}};
    figures.phases = meanPhases(record);
    figures.scale = std::move(record);
    study.outcomes[0].runs.push_back(figures);
  }
  study.experiment.scale = {{0, 1}, {5, 2}, {10, 4}, {15, 1}};
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

/// Learning rates and exchanges whose names are as long as they may be, and speeds that vary.
inline Study longStudy() {
  Study study;
  study.experiment.name = "long-names";
  study.experiment.measurement = {100, 10, 3, std::nullopt, 1};
  study.experiment.axes = {
      axisOf("training.optimizer.learningRate", {"0.01", "0.02"}),
      {"exchange", {{std::string(62, 'w') + "a", {}}, {std::string(62, 'w') + "b", {}}}},
      axisOf("data.name", {"mnist"})};
  addCells(study);
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    study.outcomes[i].runs = runsAround(100 + 10.0 * static_cast<double>(i), 0.9, 2);
    study.outcomes[i].predicted_batches_per_second = 95;
    study.outcomes[i].textbook_seconds = 0.012;
  }
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

/// Nothing but one cell that was run once.
inline Study smallestStudy() {
  Study study;
  study.experiment.name = "smallest";
  study.experiment.measurement = {100, 10, 1, std::nullopt, 1};
  addCells(study);
  study.outcomes[0].runs = runsAround(100, 0, 1);
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

/// The same, run twice on the nodes of a cluster.
inline Study clusterStudy() {
  Study study = smallestStudy();
  study.outcomes[0].runs = runsAround(100, 0.1, 2);
  for (RunFigures& run : study.outcomes[0].runs)
    run.nodes = {{"server-0", "node-a"}, {"worker-0", "node-a"}};
  study.outcomes[0].runs[1].nodes["worker-0"] = "node-b";
  study.outcomes[0].runs[1].left_on_volume = "runs/a-1-1";
  study.origin.nodes = {
      {"node-a", "n2-standard-4", "4", std::uint64_t{16} << 30U, "6.1.0", "amd64"}, {"node-b"}};
  study.origin.cluster = "https://10.0.0.1:6443";
  study.origin.name_space = "research";
  study.summaries = summarize(study.experiment, study.cells, study.outcomes);
  return study;
}

}  // namespace sumac::experiment
