#include "experiment/report/cell_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <sstream>
#include <utility>

#include "base/core/check.h"
#include "base/core/rounded.h"
#include "base/core/units.h"

#include "experiment/findings/axes.h"
#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

using Field = report::Cell;
constexpr auto kNumber = report::ColumnKind::kNumber;
constexpr std::size_t kMostRows = 200;  // as many cells as an experiment has without --max-cells

report::Value valueOf(const std::optional<double>& value) {
  return value ? report::Value(rounded(*value)) : report::Value();
}

/// The mean of an estimate times `factor`; the interval beside it.
Field estimateField(const std::optional<Estimate>& estimate, double factor = 1) {
  if (!estimate) return {};
  Field field{readableText(factor * estimate->mean), rounded(factor * estimate->mean)};
  if (const auto share = estimate->relativeHalfWidth()) field.aside = halfWidthText(*share);
  return field;
}

Field halfWidthField(const std::optional<Estimate>& estimate, double factor = 1) {
  if (!estimate || !estimate->half_width) return {};
  return {.value = rounded(factor * *estimate->half_width)};
}

/// Speedup or efficiency. The interval of both has the same share, and stands at the first.
Field speedupField(const CellSummary& summary, const std::optional<double>& value,
                   bool has_interval) {
  if (!value) return {};
  Field field{groupedText(*value, 2), rounded(*value)};
  if (summary.speedup_half_width && has_interval)
    field.aside = halfWidthText(*summary.speedup_half_width / *summary.speedup);
  if (summary.has_idle_base)
    field.aside += (field.aside.empty() ? "" : " ") + std::string(kIdleBaseMark);
  return field;
}

/// Who failed, and the last that was said of it, which is the cause; for programs all of it in a
/// line, since many readers of CSV know no field of several lines.
Field failureField(const std::string& failure) {
  if (failure.empty()) return {};
  std::string line;
  std::istringstream lines(failure);
  for (std::string part; std::getline(lines, part);) {
    if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
  }
  std::erase(line, '\r');
  const std::string first = failure.substr(0, failure.find('\n'));
  const auto last = failure.rfind('\n');
  return {last == failure.npos ? first : first + ": " + failure.substr(last + 1), line};
}

bool isPredicted(const CellSummary& summary) {
  return summary.predicted_batches_per_second.has_value();
}

/// A title where people need the column.
std::string titleIf(bool is_needed, std::string title) {
  return is_needed ? std::move(title) : std::string();
}

/// A table with a row for each cell. Its first columns tell cells apart: for people those axes that
/// have several values. The cells outlive it.
class CellTable {
 public:
  /// Has rows for those of `cells` for which `isShown`.
  CellTable(
      const Experiment& experiment, const std::vector<Cell>& cells, std::string caption,
      const std::function<bool(std::size_t)>& isShown = [](std::size_t) { return true; })
      : experiment_(experiment), cells_(cells) {
    table_.caption = std::move(caption);
    table_.most_rows = kMostRows;
    table_.noun = "cell";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (isShown(i)) shown_.push_back(i);
    }
    table_.rows.resize(shown_.size());
    add({"cell", "Cell", "", kNumber}, [&](std::size_t i) -> Field {
      const Conditions& conditions = cells[i].conditions;
      return {.value = cells[i].number,
              .mark = conditions.is_emulated ? computingText(conditions) : ""};
    });
    for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis) {
      const auto& [name, values] = experiment.axes[axis];
      add({name == "cell" ? "axis.cell" : name,
           titleIf(values.size() > 1, axisText(experiment.axes, axis))},
          [&](std::size_t i) -> Field { return {cells[i].values[axis]}; });
    }
  }

  /// A column with what `fieldOf` says of the cell with this index.
  void add(report::Column column, const std::function<Field(std::size_t)>& fieldOf) {
    for (report::Column& axis : table_.columns) {
      if (!column.key.empty() && axis.key == column.key) axis.key.insert(0, "axis.");
    }
    table_.columns.push_back(std::move(column));
    for (std::size_t row = 0; row < shown_.size(); ++row)
      table_.rows[row].push_back(fieldOf(shown_[row]));
  }
  /// The same of figures that only people read.
  void addNumber(std::string title, const std::function<Field(std::size_t)>& fieldOf) {
    add({"", std::move(title), "", kNumber}, fieldOf);
  }
  /// The rate of links, unless none is limited or an axis says it.
  void addLink() {
    if (isVaried(experiment_.axes, "link.rate") || !hasLimitedLinks(cells_)) return;
    add({"", "Link"}, [&](std::size_t i) -> Field { return {linkText(cells_[i].conditions)}; });
  }

  report::Table take() { return std::move(table_); }

 private:
  const Experiment& experiment_;  // outlives us
  const std::vector<Cell>& cells_;
  std::vector<std::size_t> shown_;
  report::Table table_;
};

void addConditions(CellTable& table, const std::vector<Cell>& cells) {
  table.add({"linkBitsPerSecond", ""}, [&](std::size_t i) -> Field {
    const auto& rate = cells[i].conditions.link_bits_per_second;
    return {.value = rate ? report::Value(*rate) : report::Value()};
  });
  table.add({"emulated", ""},
            [&](std::size_t i) -> Field { return {.value = cells[i].conditions.is_emulated}; });
  table.add({"slowdown", ""}, [&](std::size_t i) -> Field {
    if (!cells[i].conditions.is_emulated) return {};
    return {.value = rounded(cells[i].conditions.slowdown)};
  });
  table.addLink();
}

void addSpeeds(CellTable& table, const Findings& findings) {
  const Experiment& experiment = findings.experiment;
  const auto& cells = findings.cells;
  const auto& summaries = findings.summaries;
  const bool is_scaled = !experiment.scale.empty();  // then no number of workers is that of all
  const bool has_worker_batches = countsWorkerBatches(experiment);
  const auto add = [&](const std::string& key, const std::string& title, const auto& factorOf) {
    table.add({key, title, "", kNumber}, [&](std::size_t i) {
      return factorOf(i) > 0 ? estimateField(summaries[i].batches_per_second, factorOf(i))
                             : Field();
    });
    table.add({key + "HalfWidth95", ""}, [&](std::size_t i) {
      return factorOf(i) > 0 ? halfWidthField(summaries[i].batches_per_second, factorOf(i))
                             : Field();
    });
  };
  const std::string title = batchesTitle(experiment);
  add("batchesPerSecond", titleIf(!has_worker_batches, title), [](std::size_t) { return 1.0; });
  add("workerBatchesPerSecond", titleIf(has_worker_batches, title), [&](std::size_t i) {
    return is_scaled ? 0.0 : static_cast<double>(cells[i].job.worker.replicas);
  });
  add("samplesPerSecond", "Samples/s",
      [&](std::size_t i) { return static_cast<double>(cells[i].job.training.batch_size); });
  table.add({"medianStepSeconds", ""}, [&](std::size_t i) -> Field {
    if (!summaries[i].batches_per_second) return {};
    return {.value = rounded(summaries[i].median_step_seconds)};
  });
}

void addSpeedups(CellTable& table, const std::vector<CellSummary>& summaries) {
  const bool has_speedup = std::ranges::any_of(
      summaries, [](const CellSummary& summary) { return summary.speedup.has_value(); });
  table.add({"speedup", titleIf(has_speedup, "Speedup"), "", kNumber}, [&](std::size_t i) {
    return speedupField(summaries[i], summaries[i].speedup, /*has_interval=*/true);
  });
  table.add({"speedupHalfWidth95", ""}, [&](std::size_t i) -> Field {
    return {.value = valueOf(summaries[i].speedup_half_width)};
  });
  table.add({"efficiency", titleIf(has_speedup, "Efficiency"), "", kNumber}, [&](std::size_t i) {
    return speedupField(summaries[i], summaries[i].efficiency, /*has_interval=*/false);
  });
  table.add({"speedupBaseExchanges", ""}, [&](std::size_t i) -> Field {
    if (!summaries[i].speedup) return {};
    return {.value = !summaries[i].has_idle_base};
  });
}

void addPredictions(CellTable& table, const Findings& findings) {
  const auto& summaries = findings.summaries;
  if (std::ranges::none_of(summaries, isPredicted)) return;
  table.add({"predictedBatchesPerSecond", ""}, [&](std::size_t i) -> Field {
    return {.value = valueOf(summaries[i].predicted_batches_per_second)};
  });
  table.add({"predictedSamplesPerSecond", "Predicted samples/s", "", kNumber},
            [&](std::size_t i) -> Field {
              const auto samples = summaries[i].predictedSamplesPerSecond(findings.cells[i]);
              return samples ? Field{readableText(*samples), rounded(*samples)} : Field();
            });
  table.add({"predictionAccuracy", "Prediction accuracy", "", kNumber},
            [&](std::size_t i) -> Field {
              const auto accuracy = summaries[i].predictionAccuracy();
              if (!accuracy) return {};
              return {.text = percentText(*accuracy, 1),
                      .value = rounded(*accuracy),
                      .mark = summaries[i].is_fitted ? "fitted" : ""};
            });
  table.add({"textbookAccuracy", ""}, [&](std::size_t i) -> Field {
    return {.value = valueOf(summaries[i].textbookAccuracy())};
  });
  table.add({"fitted", ""},
            [&](std::size_t i) -> Field { return {.value = summaries[i].is_fitted}; });
}

std::string titleOf(Score score) {
  constexpr std::array kTitles{"Training loss", "Validation accuracy", "Test accuracy",
                               "Validation perplexity", "Test perplexity"};
  return kTitles.at(static_cast<std::size_t>(score));
}

/// Half the interval of an accuracy is told in points: "84.10 % ± 2 %" would say neither.
Field scoreField(Score score, const Estimate& estimate) {
  if (score != Score::kValidAccuracy && score != Score::kTestAccuracy)
    return estimateField(estimate);
  Field field{percentText(estimate.mean, 2), rounded(estimate.mean)};
  if (estimate.half_width)
    field.aside = "± " + fixedText(100 * *estimate.half_width, 2) + " points";
  return field;
}

/// Columns of each score that any cell has.
void addLearned(CellTable& table, const std::vector<CellSummary>& summaries, bool is_for_people) {
  for (const Score score : kScores) {
    const auto learnedIn = [&](std::size_t i) -> std::optional<Estimate> {
      const auto told = summaries[i].learned.find(score);
      return told == summaries[i].learned.end() ? std::nullopt : std::optional(told->second);
    };
    const auto isTold = [score](const CellSummary& summary) {
      return summary.learned.contains(score);
    };
    if (std::ranges::none_of(summaries, isTold)) continue;
    table.add({keyOf(score), titleIf(is_for_people, titleOf(score)), "", kNumber},
              [&](std::size_t i) {
                const auto estimate = learnedIn(i);
                return estimate ? scoreField(score, *estimate) : Field();
              });
    table.add({std::string(keyOf(score)) + "HalfWidth95", ""},
              [&](std::size_t i) { return halfWidthField(learnedIn(i)); });
  }
}

/// Which cells have emulated computing that was measured beside other work; empty: none.
std::string disturbedText(const Findings& findings) {
  std::vector<int> cells;
  double between_runs = 0;
  double within_run = 0;
  double waited = 0;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const auto& computing = findings.summaries[i].computing;
    if (!computing || !computing->isDisturbed()) continue;
    cells.push_back(findings.cells[i].number);
    between_runs = std::max(between_runs, computing->betweenRuns());
    within_run = std::max(within_run, computing->spread);
    waited = std::max(waited, computing->waited);
  }
  if (cells.empty()) return {};
  return "In " + cellsText(cells) +
         " other work ran while computing was measured: its time differs by up to ± " +
         percentText(between_runs, 0) + " from run to run and ± " + percentText(within_run, 0) +
         " within one; threads had no core for up to " + percentText(waited, 0) +
         " of the time. Measure again on a quiet machine, or give a profile with --profile.";
}

/// Which cells with the times of a profile ran beside other work; empty: none.
std::string besideOthers(const Findings& findings) {
  std::vector<std::optional<double>> lacking;
  for (const CellSummary& summary : findings.summaries)
    lacking.push_back(summary.lacking_cores);
  return besideOthersText(findings.cells, lacking);
}

/// How many cells are not known as well as the stop rule asks; empty: none.
std::string uncertainText(const Findings& findings) {
  const auto& stop = findings.experiment.measurement.stop;
  const Metric metric = findings.experiment.measurement.metric;
  const auto uncertain = std::ranges::count_if(findings.summaries, [&](const CellSummary& summary) {
    const auto measured = summary.measured(metric);
    return stop && measured && measured->relativeHalfWidth().value_or(1) > stop->half_width;
  });
  if (uncertain == 0) return {};
  const std::string cells = counted(uncertain, "cell");
  const std::string asked =
      " not known as well as spec.stop asks (" + percentText(stop->half_width, 1) + ")";
  const std::string advice = " Raise spec.stop.maxRepetitions to measure more runs.";
  if (isOfLearning(metric))
    return "The " + std::string(phraseOf(metric)) + " of " + cells + " is" + asked + "." + advice;
  return cells + (uncertain == 1 ? " is" : " are") + asked + ": was the machine busy?" + advice;
}

/// Whether an interval of a cell reaches below zero.
bool isOpen(const CellSummary& summary) {
  const auto& speed = summary.samples_per_second;
  return (speed && speed->relativeHalfWidth().value_or(0) >= 1) ||
         (summary.speedup && summary.speedup_half_width.value_or(0) >= *summary.speedup);
}

}  // namespace

report::Table resultTable(const Findings& findings) {
  const Experiment& experiment = findings.experiment;
  const auto& cells = findings.cells;
  const auto& summaries = findings.summaries;
  const bool has_intervals = std::ranges::any_of(summaries, [](const CellSummary& summary) {
    return summary.samples_per_second && summary.samples_per_second->half_width;
  });
  CellTable table(experiment, cells,
                  has_intervals ? "Means of the runs of each cell, with half their 95 % intervals"
                                : "One run of each cell");
  const bool is_scaled = !experiment.scale.empty();
  table.add({"workers", ""}, [&](std::size_t i) -> Field {
    return {.value = is_scaled ? report::Value() : report::Value(cells[i].job.worker.replicas)};
  });
  if (!workerAxis(experiment.axes)) {
    table.addNumber("Workers",
                    [&](std::size_t i) -> Field { return {workersText(experiment, cells[i])}; });
  }
  table.add({"servers", ""},
            [&](std::size_t i) -> Field { return {.value = cells[i].job.server.replicas}; });
  table.add({"batchSize", ""},
            [&](std::size_t i) -> Field { return {.value = cells[i].job.training.batch_size}; });
  addConditions(table, cells);
  table.add({"repetitions", "Runs", "", kNumber}, [&](std::size_t i) -> Field {
    const auto& batches = summaries[i].batches_per_second;
    return {.value = batches ? batches->count : 0};
  });
  addSpeeds(table, findings);
  addSpeedups(table, summaries);
  addLearned(table, summaries, /*is_for_people=*/false);
  const bool has_failed = std::ranges::any_of(
      summaries, [](const CellSummary& summary) { return !summary.failure.empty(); });
  table.add({"failure", titleIf(has_failed, "Failure"), "", report::ColumnKind::kSentence},
            [&](std::size_t i) { return failureField(summaries[i].failure); });
  addPredictions(table, findings);
  return table.take();
}

report::Table learnedTable(const Findings& findings) {
  const auto& summaries = findings.summaries;
  const bool has_intervals = std::ranges::any_of(summaries, [](const CellSummary& summary) {
    return std::ranges::any_of(
        summary.learned, [](const auto& score) { return score.second.half_width.has_value(); });
  });
  CellTable table(
      findings.experiment, findings.cells,
      std::string("After the last step: ") +
          (has_intervals ? "means of the runs of each cell, with half their 95 % intervals"
                         : "one run of each cell"),
      [&](std::size_t i) { return !summaries[i].learned.empty(); });
  table.addNumber("Runs", [&](std::size_t i) -> Field {
    return {.value = summaries[i].batches_per_second->count};
  });
  addLearned(table, summaries, /*is_for_people=*/true);
  return table.take();
}

std::vector<std::string> resultNotes(const Findings& findings) {
  const auto& summaries = findings.summaries;
  std::vector<std::string> notes;
  if (std::ranges::any_of(summaries, &CellSummary::has_idle_base)) {
    notes.push_back(std::string(kIdleBaseMark) +
                    " over one worker that exchanges nothing: beside other cells compare the "
                    "samples a second");
  }
  if (std::ranges::any_of(summaries, isOpen))
    notes.emplace_back("± ? the interval reaches below zero: too little is known");
  std::vector<int> outliers;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (summaries[i].has_outlier) outliers.push_back(findings.cells[i].number);
  }
  if (const std::string text = disturbedText(findings); !text.empty()) notes.push_back(text);
  if (std::string text = besideOthers(findings); !text.empty()) notes.push_back(std::move(text));
  if (!outliers.empty()) {
    notes.push_back("In " + cellsText(outliers) + " a run was less than half as fast as the " +
                    "others of its cell: was the machine busy?");
  }
  if (std::string text = uncertainText(findings); !text.empty()) notes.push_back(std::move(text));
  return notes;
}

report::Table planTable(const Experiment& experiment, const std::vector<Cell>& cells,
                        const std::vector<std::optional<double>>& predicted) {
  CellTable table(experiment, cells, "");
  const auto isAxis = [&experiment](std::string_view title) {
    for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis) {
      if (experiment.axes[axis].values.size() > 1 && axisText(experiment.axes, axis) == title)
        return true;
    }
    return false;
  };
  if (!isAxis("workers")) {
    table.addNumber("Workers",
                    [&](std::size_t i) -> Field { return {workersText(experiment, cells[i])}; });
  }
  if (!isAxis("servers"))
    table.addNumber(
        "Servers", [&](std::size_t i) -> Field { return {.value = cells[i].job.server.replicas}; });
  table.addNumber("Batch size", [&](std::size_t i) -> Field {
    return {.value = cells[i].job.training.batch_size};
  });
  table.addLink();
  if (predicted.empty()) return table.take();
  SUMAC_CHECK(predicted.size() == cells.size(), predicted.size(), cells.size());
  table.addNumber("Predicted samples/s", [&](std::size_t i) -> Field {
    if (!predicted[i]) return {};
    return {readableText(static_cast<double>(cells[i].job.training.batch_size) * *predicted[i])};
  });
  return table.take();
}

report::Table stepTable(const Findings& findings) {
  constexpr double kMilliseconds = 1'000;
  const auto& summaries = findings.summaries;
  CellTable table(findings.experiment, findings.cells,
                  "Worker 0's milliseconds and bytes a step: the median is over the steps of all "
                  "runs, the others are means of the runs; bytes are those of warm-up steps, too",
                  [&](std::size_t i) { return summaries[i].batches_per_second.has_value(); });
  table.addNumber("Step, median", [&](std::size_t i) -> Field {
    return {readableText(kMilliseconds * summaries[i].median_step_seconds)};
  });
  for (const auto& [title, phase] : {std::pair("Gradients", &StepPhases::gradient_seconds),
                                     {"Update", &StepPhases::update_seconds},
                                     {"Waiting for sums", &StepPhases::sum_wait_seconds},
                                     {"Waiting for samples", &StepPhases::data_wait_seconds}}) {
    table.addNumber(title, [&, phase = phase](std::size_t i) -> Field {
      if (!summaries[i].phases) return {};
      return {readableText(kMilliseconds * (*summaries[i].phases).*phase)};
    });
  }
  for (const auto& [title, bytes] :
       {std::pair("Sent", &StepBytes::sent), {"Received", &StepBytes::received}}) {
    table.addNumber(title, [&, bytes = bytes](std::size_t i) -> Field {
      if (!summaries[i].bytes) return {};
      return {bytesText((*summaries[i].bytes).*bytes)};
    });
  }
  return table.take();
}

bool countsWorkerBatches(const Experiment& experiment) {
  return experiment.batch_size_per_worker.has_value() ||
         isVaried(experiment.axes, "batchSizePerWorker");
}

std::string batchesTitle(const Experiment& experiment) {
  return countsWorkerBatches(experiment) ? "Worker batches/s" : "Batches/s";
}

}  // namespace sumac::experiment
