#include "experiment/page/page.h"

#include <algorithm>

#include "base/core/units.h"
#include "base/report/html.h"

#include "experiment/page/sections.h"
#include "experiment/report/scale.h"
#include "experiment/report/verdict.h"

namespace sumac::experiment {
namespace {

std::string questionOf(const Experiment& experiment) {
  const auto& axes = experiment.axes;
  if (!experiment.scale.empty())
    return "What do speed and loss do with " + scriptText(experiment.scale) + "?";
  if (axes.empty()) return "How fast is the job?";
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) text += i + 1 == axes.size() ? " and " : ", ";
    text += axes[i].name + " (";
    for (const AxisValue& value : axes[i].values)
      text += (&value == &axes[i].values.front() ? "" : ", ") + value.name;
    text += ")";
  }
  return "How does the speed depend on " + text + "?";
}

/// Whether runs are missing that no failure explains.
bool isInterrupted(const Findings& findings, bool is_complete, std::int64_t failed) {
  if (is_complete) return false;
  if (failed == 0) return true;
  return std::ranges::any_of(findings.summaries, [&findings](const CellSummary& summary) {
    const auto& speed = summary.batches_per_second;
    return summary.failure.empty() &&
           (speed ? speed->count : 0) < findings.experiment.measurement.repetitions;
  });
}

report::Heading headingOf(const Findings& findings, bool is_complete) {
  const auto failed = std::ranges::count_if(
      findings.summaries, [](const CellSummary& summary) { return !summary.failure.empty(); });
  std::int64_t runs = 0;
  for (const CellSummary& summary : findings.summaries)
    runs += summary.batches_per_second ? summary.batches_per_second->count : 0;
  const auto& measurement = findings.experiment.measurement;
  report::Heading heading{"Sumac experiment",
                          findings.experiment.name,
                          questionOf(findings.experiment),
                          {counted(std::ssize(findings.cells), "cell"), counted(runs, "run"),
                           std::to_string(measurement.steps) + " steps each, after " +
                               std::to_string(measurement.warmup_steps) + " of warm-up"},
                          {}};
  if (isInterrupted(findings, is_complete, failed))
    heading.alarms.emplace_back("Incomplete: stopped before all runs were made");
  if (failed > 0) heading.alarms.push_back(counted(failed, "cell") + " failed");
  const auto emulated = std::ranges::count_if(
      findings.cells, [](const Cell& cell) { return cell.conditions.is_emulated; });
  if (emulated > 0) heading.alarms.push_back(counted(emulated, "cell") + " emulated");
  return heading;
}

}  // namespace

std::string reportPage(const Findings& findings, const Origin& origin, bool is_complete) {
  const Verdict verdict = verdictOf(findings.experiment, findings.cells, findings.summaries);
  return report::htmlPage(
      headingOf(findings, is_complete),
      report::keyFindings(verdict.sentences, verdict.basis) + failureSection(findings) +
          scaleSection(findings) + speedSection(findings) + stepSection(findings) +
          serversSection(findings) + predictionSection(findings, origin.prediction_notes) +
          methodSection(findings, origin));
}

}  // namespace sumac::experiment
