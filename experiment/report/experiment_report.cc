#include "experiment/report/experiment_report.h"

#include <algorithm>
#include <utility>

#include "base/core/rounded.h"
#include "base/core/units.h"

#include "experiment/findings/axes.h"
#include "experiment/findings/servers_check.h"
#include "experiment/report/cell_table.h"
#include "experiment/report/labels.h"
#include "experiment/report/sections.h"

namespace sumac::experiment {
namespace {

using report::Audience;
using report::Paragraph;
using report::Section;
constexpr auto kFigure = report::ColumnKind::kNumber;

std::string questionOf(const Experiment& experiment) {
  const auto& axes = experiment.axes;
  if (!experiment.scale.empty())
    return "What do speed and loss do with " + scriptText(experiment.scale) + "?";
  const Metric metric = experiment.measurement.metric;
  const std::string what(isOfLearning(metric) ? phraseOf(metric) : "speed");
  if (axes.empty())
    return isOfLearning(metric) ? "What is the " + what + "?" : "How fast is the job?";
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) text += i + 1 == axes.size() ? " and " : ", ";
    text += axes[i].name + " (";
    for (const AxisValue& value : axes[i].values)
      text += (&value == &axes[i].values.front() ? "" : ", ") + value.name;
    text += ")";
  }
  return "How does the " + what + " depend on " + text + "?";
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
  std::int64_t runs = 0;
  for (const CellSummary& summary : findings.summaries)
    runs += summary.batches_per_second ? summary.batches_per_second->count : 0;
  const std::int64_t failed = failedCells(findings.outcomes);
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

void addVerdict(const Findings& findings, std::vector<Section>& sections) {
  const Verdict verdict = verdictOf(findings.experiment, findings.cells, findings.summaries);
  report::Findings said = verdictSentences(findings, verdict);
  Paragraph basis{std::move(said.basis)};
  said.basis.clear();
  sections.push_back({"", Audience::kAll, {std::move(said)}});
  if (!verdict.significant.empty())
    sections.back().blocks.emplace_back(pairTable(findings, verdict.significant));
  if (!basis.text.empty()) sections.push_back({"", Audience::kPage, {std::move(basis)}});
  if (verdict.not_significant.empty()) return;
  sections.push_back({"", Audience::kPage, {pairTable(findings, verdict.not_significant)}});
  sections.back().fold =
      counted(std::ssize(verdict.not_significant), "pair") + " without a significant difference";
}

void addFailures(const Findings& findings, std::vector<Section>& sections) {
  Section section{"Failed cells", Audience::kPage};
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const std::string& cause = findings.summaries[i].failure;
    if (cause.empty()) continue;
    const Cell& cell = findings.cells[i];
    section.blocks.emplace_back(Paragraph{"Cell " + std::to_string(cell.number) + ", " +
                                          cellText(findings.experiment.axes, cell, {}) + ":"});
    section.blocks.emplace_back(report::Preformatted{cause});
  }
  if (!section.blocks.empty()) sections.push_back(std::move(section));
}

/// What a changing number of workers did over time, and what each change cost.
void addScale(const Findings& findings, ExperimentReport& answer) {
  auto& sections = answer.report.sections;
  report::Table phases = phaseTable(findings);
  if (phases.rows.empty()) return;
  std::string parameters;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    int number = 0;
    for (const RunFigures& run : findings.outcomes[i].runs) {
      ++number;
      if (!run.scale) continue;
      parameters += "cell " + std::to_string(findings.cells[i].number) + ", run " +
                    std::to_string(number) + ": " + run.scale->parameters_sha256 + "\n";
    }
  }
  sections.push_back({"Over time",
                      Audience::kAll,
                      {addPictures(scalePictures(findings), answer.pictures), std::move(phases)}});
  sections.push_back(
      {"",
       Audience::kPage,
       {Paragraph{
            "A change costs the time from the last step with the old number of workers to the "
            "first with the new one. Where members may not change while a job trains, it stops "
            "at a checkpoint and resumes."},
        Paragraph{"SHA-256 of the final parameters:"}, report::Preformatted{parameters}}});
}

/// For all where that was asked for, else on the page.
void addLearned(const Findings& findings, ExperimentReport& answer) {
  report::Table learned = learnedTable(findings);
  if (learned.rows.empty()) return;
  auto& sections = answer.report.sections;
  const Metric metric = findings.experiment.measurement.metric;
  const bool is_asked = isOfLearning(metric);
  sections.push_back(
      {"What was learned",
       is_asked ? Audience::kAll : Audience::kPage,
       {addPictures(learnedPictures(findings), answer.pictures), std::move(learned)}});
  std::string text = "Training loss is that of the last mini-batch.";
  if (is_asked) {
    text += " Cells are compared by " + std::string(phraseOf(metric)) +
            "; test values stand beside it and choose nothing.";
  }
  sections.push_back({"", Audience::kPage, {Paragraph{std::move(text)}}});
}

void addSteps(const Findings& findings, ExperimentReport& answer) {
  report::Table steps = stepTable(findings);
  if (steps.rows.empty()) return;
  answer.report.sections.push_back(
      {"Where the time goes",
       Audience::kPage,
       {addPictures(phasePictures(findings), answer.pictures),
        Paragraph{"Waiting for sums is the part of the exchange that computing does not hide. " +
                  std::string(findings.experiment.scale.empty()
                                  ? "Times are those of the measured steps."
                                  : "Phases are means over all steps.")},
        std::move(steps)}});
}

void addServers(const Findings& findings, std::vector<Section>& sections) {
  report::Table servers = serversTable(findings);
  if (servers.rows.empty()) return;
  sections.push_back({"How many servers", Audience::kAll, {std::move(servers)}});
  sections.push_back(
      {"",
       Audience::kPage,
       {Paragraph{"By Zou et al.'s lemma so many servers hide the exchange: computing is gradients "
                  "and update of a step, one server's exchange is 2 S N / B, where S is what a "
                  "worker sends in a step, N the number of workers and B the rate of a link. The "
                  "lemma takes no account of sums that travel back while gradients still come."}}});
}

report::Table emptyPhaseTable() {
  constexpr std::size_t kMostPhases = 200;
  return {.caption =
              "Each number of workers from its first step on, and what the "
              "change to it cost",
          .columns = {{"", "Cell", "", kFigure},
                      {"", "Run", "", kFigure},
                      {"workers", "Workers", "", kFigure},
                      {"beginSeconds", "From", "s", kFigure},
                      {"endSeconds", ""},
                      {"firstStep", ""},
                      {"lastStep", ""},
                      {"", "Steps", "", kFigure},
                      {"batchesPerSecond", "Batches/s", "", kFigure},
                      {"", "Samples/s", "", kFigure},
                      {"", "Change", "s", kFigure}},
          .most_rows = kMostPhases};
}

void addPhases(const Cell& cell, int run, const ScaleRecord& record, report::Table& table) {
  constexpr int kHundredths = 2;
  const auto phases = phasesOf(record);
  const auto batch_size = static_cast<double>(cell.job.training.batch_size);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const ScalePhase& phase = phases[i];
    const auto& speed = phase.batches_per_second;
    const bool has_change = i > 0 && i <= record.changes.size();
    table.rows.push_back(
        {{.value = cell.number},
         {.value = run},
         {.value = phase.workers},
         {groupedText(phase.begin_seconds, kHundredths), rounded(phase.begin_seconds)},
         {.value = rounded(phase.end_seconds)},
         {.value = phase.first_step},
         {.value = phase.last_step},
         {std::to_string(phase.first_step) + " to " + std::to_string(phase.last_step)},
         speed ? report::Cell{readableText(*speed), rounded(*speed)} : report::Cell{},
         {speed ? readableText(batch_size * *speed) : ""},
         {has_change ? groupedText(record.changes[i - 1].cost_seconds, kHundredths) : ""}});
  }
}

}  // namespace

ExperimentReport experimentReport(const Findings& findings, const Origin& origin,
                                  bool is_complete) {
  ExperimentReport answer{{headingOf(findings, is_complete), {}}, {}};
  auto& sections = answer.report.sections;
  addVerdict(findings, sections);
  addFailures(findings, sections);
  addScale(findings, answer);
  const bool is_of_learning = isOfLearning(findings.experiment.measurement.metric);
  if (is_of_learning) addLearned(findings, answer);
  Section speeds{"How fast", Audience::kAll};
  speeds.blocks.emplace_back(addPictures(speedPictures(findings), answer.pictures));
  speeds.blocks.emplace_back(resultTable(findings));
  for (std::string& note : resultNotes(findings))
    speeds.blocks.emplace_back(Paragraph{std::move(note)});
  sections.push_back(std::move(speeds));
  if (!is_of_learning) addLearned(findings, answer);
  addSteps(findings, answer);
  addServers(findings, sections);
  addPredictions(findings, origin.predictions, answer);
  sections.push_back(methodSection(findings, origin));
  return answer;
}

report::Table phaseTable(const Cell& cell, int run, const ScaleRecord& record) {
  report::Table table = emptyPhaseTable();
  addPhases(cell, run, record, table);
  return table;
}

report::Table phaseTable(const Findings& findings) {
  report::Table table = emptyPhaseTable();
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    int number = 0;
    for (const RunFigures& run : findings.outcomes[i].runs) {
      ++number;
      if (run.scale) addPhases(findings.cells[i], number, *run.scale, table);
    }
  }
  return table;
}

report::Table serversTable(const Findings& findings) {
  report::Table table{.caption = "Servers that hide the exchange by Zou et al.'s lemma",
                      .columns = {{"with", "With"},
                                  {"workers", "Workers", "", kFigure},
                                  {"computeSeconds", "Computing", "s", kFigure},
                                  {"exchangeSeconds", "Exchange", "s", kFigure},
                                  {"servers", "Servers", "", kFigure},
                                  {"measured", "Measured steps, in times of computing", "",
                                   report::ColumnKind::kSentence}},
                      .noun = "set"};
  for (const ServersCheck& check :
       serversChecks(findings.experiment, findings.cells, findings.summaries)) {
    report::Cell measured;
    for (const ServersCheck::Measured& each : check.measured) {
      const std::string share =
          each.half_width ? " " + halfWidthText(*each.half_width / each.step) : std::string();
      measured.text += (measured.text.empty() ? "" : ", ") + fixedText(each.step, 2) + share +
                       " with " + counted(each.servers, "server");
      report::Value one{{"servers", each.servers}, {"stepPerComputing", rounded(each.step)}};
      if (each.half_width) one["halfWidth95"] = rounded(*each.half_width);
      measured.value.push_back(std::move(one));
    }
    const auto& axes = findings.experiment.axes;
    table.rows.push_back({{variedAxes(axes) > 1 ? cellText(axes, *check.cell, {check.axis}) : ""},
                          {.value = check.workers},
                          {fixedText(check.compute_seconds, 3), rounded(check.compute_seconds)},
                          {fixedText(check.exchange_seconds, 3), rounded(check.exchange_seconds)},
                          {.value = check.servers},
                          std::move(measured)});
  }
  return table;
}

}  // namespace sumac::experiment
