#include "cli/experiment/dry_run.h"

#include <cstddef>
#include <iterator>
#include <string>

#include "base/core/units.h"
#include "cli/experiment/runner.h"

#include "experiment/report/cell_table.h"
#include "experiment/report/experiment_report.h"
#include "experiment/report/labels.h"

namespace sumac::cli {
namespace {

/// "; about 2 min of steps by the predictions", where all cells have one.
std::string timeText(const PreparedExperiment& prepared, const Predictions& predictions) {
  if (predictions.cells().empty()) return {};
  const auto& measurement = prepared.experiment.measurement;
  const auto seconds =
      experiment::predictedDuration(measurement, measurement.repetitions, predictions.cells());
  return seconds ? "; " + aboutText(*seconds) + " of steps by the predictions" : std::string();
}

/// "; about 20 min of steps by a simulation", where all cells that run have one.
std::string simulatedText(const PreparedExperiment& prepared, const SizingStudy& sizing) {
  double seconds = 0;
  for (std::size_t i = 0; i < sizing.simulated.size(); ++i) {
    if (!sizing.left_out[i].empty()) continue;
    if (sizing.simulated[i].runs.empty()) return {};
    seconds += sizing.simulated[i].runs.front().seconds;
  }
  if (seconds <= 0) return {};
  return "; about " + aboutText(seconds * prepared.experiment.measurement.repetitions) +
         " of steps by a simulation";
}

/// Which cells do not run, and why.
void printLeftOut(const PreparedExperiment& prepared, const SizingStudy& sizing,
                  std::ostream& out) {
  for (std::size_t i = 0; i < sizing.left_out.size(); ++i) {
    if (sizing.left_out[i].empty()) continue;
    out << "cell " << prepared.cells[i].number << " is left out: " << sizing.left_out[i] << "\n";
  }
}

}  // namespace

void printDryRun(const PlannedExperiment& planned, const report::TextStyle& style,
                 std::ostream& out) {
  const auto& [prepared, predictions, sizing] = planned;
  const auto& measurement = prepared.experiment.measurement;
  const auto repetitions = repetitionsOf(measurement);
  out << report::toText(experiment::planTable(prepared.experiment, prepared.cells,
                                              predictions.batchesPerSecond()),
                        style)
      << "\n";
  for (const std::string& note : predictionNotes(predictions.basis()))
    out << note << "\n";
  if (sizing) printLeftOut(prepared, *sizing, out);
  out << counted(std::ssize(prepared.cells), "cell") << ", each "
      << counted(repetitions.least, "run");
  if (repetitions.most > repetitions.least) out << " or up to " << repetitions.most;
  out << " of " << measurement.warmup_steps << " + " << measurement.steps << " steps"
      << (sizing ? simulatedText(prepared, *sizing) : timeText(prepared, predictions)) << "; ";
  if (!prepared.experiment.scale.empty())
    out << experiment::scriptText(prepared.experiment.scale) << "; ";
  if (!prepared.experiment.events.empty())
    out << experiment::eventsText(prepared.experiment.events) << "; ";
  out << "compared by " << (sizing ? "the time to the end" : phraseOf(measurement.metric))
      << (isOfLearning(measurement.metric) ? ", each run of a cell with a seed of its own" : "")
      << "; nothing was run" << std::endl;
}

}  // namespace sumac::cli
