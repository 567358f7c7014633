#include "experiment/report/sizing_report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/core/rounded.h"
#include "base/core/units.h"
#include "base/report/values.h"
#include "job/profile/disturbance.h"
#include "planner/report/autoscaling_words.h"

#include "experiment/measure/statistics.h"
#include "experiment/report/labels.h"
#include "experiment/report/sections.h"

namespace sumac::experiment {
namespace {

using report::Audience;
using report::Paragraph;
using report::Section;

double meanSeconds(const SimulatedCell& cell) {
  double sum = 0;
  for (const autoscaling::SimulatedRun& run : cell.runs)
    sum += run.seconds;
  return sum / static_cast<double>(cell.runs.size());
}

/// " It takes 1.02 times as long as with the best fixed size, ...": beside what is known.
std::string comparedText(const SimulatedCell& cell, double seconds, bool is_measured) {
  std::string text;
  if (cell.best_fixed_seconds > 0) {
    text = fixedText(seconds / cell.best_fixed_seconds, 2) +
           " times as long as with the best fixed size, " + counted(cell.best_fixed, "worker");
  }
  if (cell.clairvoyant_seconds > 0) {
    text += (text.empty() ? "" : ", and ") + fixedText(seconds / cell.clairvoyant_seconds, 2) +
            " times as long as with a " +
            (is_measured ? "simulated schedule that knows all events"
                         : "schedule that knows all events and all noise") +
            " beforehand";
  }
  return text.empty() ? text : " It takes " + text + ".";
}

/// Of each group, the job that sizes itself and ends first, beside the best fixed size.
std::vector<std::string> sentencesOf(const SizingFindings& findings) {
  const auto& experiment = findings.experiment;
  const auto& cells = findings.cells;
  const auto& played = findings.played;
  const auto groups = sizingGroups(experiment, cells);
  std::map<int, std::size_t> first;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!isSized(cells[i]) || played[i].runs.empty()) continue;
    const auto [best, is_new] = first.try_emplace(groups[i], i);
    if (!is_new && meanSeconds(played[i]) < meanSeconds(played[best->second])) best->second = i;
  }
  std::vector<std::string> sentences;
  for (const auto& [group, i] : first) {
    const std::string of = groupText(experiment, cells[i]);
    const double seconds = meanSeconds(played[i]);
    sentences.push_back(
        (of.empty() ? "Of" : of + ": of") + " the jobs that change their size, the one under `" +
        sizingText(experiment, cells[i]) + "` ends first, after " + durationText(seconds) + "." +
        comparedText(played[i], seconds, findings.measured != nullptr));
  }
  if (findings.measured != nullptr && !findings.measured->parameters.empty())
    sentences.push_back(findings.measured->parameters);
  return sentences;
}

/// What the numbers come from: "the profile kept.json (lenet5, ...), computing emulated x 120".
std::string basisOf(const SizingFindings& findings) {
  std::set<std::size_t> profiles;
  std::set<std::string> computing;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    if (findings.played[i].runs.empty()) continue;
    if (!findings.profiles.empty()) profiles.insert(findings.played[i].profile);
    computing.insert(computingText(findings.cells[i].conditions));
  }
  const std::string by = findings.measured == nullptr ? "By" : "Simulated times are by";
  std::string text;
  for (const std::size_t profile : profiles)
    text += (text.empty() ? by + " the profile " : " and ") + profileText(findings, profile);
  const std::string begin = text.empty() ? "Computing " : "; computing ";
  for (const std::string& one : computing)
    text += (one == *computing.begin() ? begin : ", ") + one;
  return text.empty() ? text : text + ".";
}

/// What to know before the figures are believed.
std::vector<std::string> notesOf(const SizingFindings& findings) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < findings.profiles.size(); ++i) {
    if (const std::string at = disturbanceText(findings.profiles[i]); !at.empty())
      notes.push_back("The profile " + findings.profile_files[i] + " was disturbed, at " + at +
                      ".");
  }
  if (findings.measured != nullptr) {
    std::string beside = besideOthersText(findings.cells, findings.measured->lacking_cores);
    if (!beside.empty()) notes.push_back(std::move(beside));
  }
  const auto& stop = findings.experiment.measurement.stop;
  const auto uncertain = std::ranges::count_if(findings.played, [&](const SimulatedCell& cell) {
    std::vector<double> seconds;
    for (const autoscaling::SimulatedRun& run : cell.runs)
      seconds.push_back(run.seconds);
    return stop && seconds.size() > 1 &&
           estimate(seconds).relativeHalfWidth().value_or(0) > stop->half_width;
  });
  if (uncertain > 0) {
    notes.push_back("The time of " + counted(uncertain, "cell") +
                    " is not known as well as spec.stop asks (" + percentText(stop->half_width, 1) +
                    "). Raise spec.stop.maxRepetitions to " +
                    (findings.measured == nullptr ? "simulate" : "measure") + " more runs.");
  }
  return notes;
}

/// What became of a cell, before the cause.
std::string whatWith(const MeasuredSizing* measured, std::size_t cell) {
  if (measured == nullptr) return "cannot be simulated: ";
  return measured->is_left_out[cell] ? "is left out: " : "failed: ";
}

std::vector<std::string> failuresOf(const SizingFindings& findings) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    if (findings.played[i].why_not.empty()) continue;
    lines.push_back("Cell " + std::to_string(findings.cells[i].number) + " (" +
                    cellText(findings.experiment.axes, findings.cells[i], {}) + ") " +
                    whatWith(findings.measured, i) + findings.played[i].why_not);
  }
  return lines;
}

/// What to know before the answer is read.
std::vector<std::string> alarmsOf(const SizingFindings& findings, std::size_t unplayed) {
  std::vector<std::string> alarms;
  const auto cells = static_cast<std::int64_t>(unplayed);
  if (findings.measured == nullptr) {
    alarms.emplace_back("Simulated: nothing was run");
    if (cells > 0) alarms.push_back(counted(cells, "cell") + " not simulated");
    return alarms;
  }
  if (!findings.measured->is_complete)
    alarms.emplace_back("Incomplete: stopped before all runs were made, or cells failed");
  if (cells > 0) alarms.push_back(counted(cells, "cell") + " not measured");
  return alarms;
}

report::Heading headingOf(const SizingFindings& findings, std::size_t failed) {
  const Experiment& experiment = findings.experiment;
  std::int64_t runs = 0;
  for (const SimulatedCell& cell : findings.played)
    runs += std::ssize(cell.runs);
  report::Heading heading{"Sumac experiment",
                          experiment.name,
                          "How long does the job take, and what does it cost, by how it is sized?",
                          {counted(std::ssize(findings.cells), "cell"), counted(runs, "run"),
                           counted(stepsOf(experiment), "step") + " each"},
                          alarmsOf(findings, failed)};
  return heading;
}

report::Value changesOf(const Cell& cell, const std::vector<autoscaling::SizeChange>& changes) {
  report::Value list = report::Value::array();
  for (const autoscaling::SizeChange& change : changes) {
    list.push_back({{"seconds", rounded(change.at)},
                    {"from", change.from},
                    {"to", change.decision.workers},
                    {"reason", planner::reasonName(change.decision.reason)},
                    {"why", whyText(cell, change)}});
  }
  return list;
}

report::Value runsOf(const Cell& cell, const SimulatedCell& played) {
  report::Value runs = report::Value::array();
  for (const autoscaling::SimulatedRun& run : played.runs) {
    report::Value json{{"seconds", rounded(run.seconds)},
                       {"workerSeconds", rounded(run.worker_seconds)},
                       {"serverSeconds", rounded(run.server_seconds)},
                       {"changingSeconds", rounded(run.changing_seconds)}};
    if (played.goals.hasPrices()) json["cost"] = rounded(run.cost);
    json["changes"] = changesOf(cell, run.changes);
    json["stays"] = changesOf(cell, run.stays);
    for (const autoscaling::SizePhase& phase : run.phases)
      json["phases"].push_back({{"seconds", rounded(phase.begin)}, {"workers", phase.workers}});
    runs.push_back(std::move(json));
  }
  return runs;
}

report::Value cellOf(const SizingFindings& findings, const report::Table& table, std::size_t row) {
  const Cell& cell = findings.cells[row];
  report::Value json{{"cell", cell.number}, {"values", report::Value::object()}};
  const std::size_t axes = findings.experiment.axes.size();
  for (std::size_t i = 0; i < axes; ++i)
    json["values"][findings.experiment.axes[i].name] = cell.values[i];
  for (std::size_t column = 1 + axes; column < table.columns.size(); ++column) {
    const report::Value& value = table.rows[row][column].value;
    if (!value.is_null()) json[table.columns[column].key] = value;
  }
  const SimulatedCell& played = findings.played[row];
  const MeasuredSizing* const measured = findings.measured;
  const bool is_left_out = measured != nullptr && measured->is_left_out[row];
  if (!played.why_not.empty()) json[is_left_out ? "leftOut" : "failure"] = played.why_not;
  if (measured != nullptr && measured->lacking_cores[row])
    json["lackingCores"] = rounded(*measured->lacking_cores[row]);
  json["runs"] = runsOf(cell, played);
  for (std::size_t run = 0; measured != nullptr && run < played.runs.size(); ++run) {
    const std::string& sha = measured->parameters_sha256[row][run];
    if (!sha.empty()) json["runs"][run]["parametersSha256"] = sha;
  }
  return json;
}

}  // namespace

ExperimentReport sizingReport(const SizingFindings& findings, const Origin& origin) {
  auto notes = failuresOf(findings);
  ExperimentReport answer{{headingOf(findings, notes.size()), {}}, {}};
  std::ranges::move(notesOf(findings), std::back_inserter(notes));
  auto& sections = answer.report.sections;
  sections.push_back(
      {"", Audience::kAll, {report::Findings{sentencesOf(findings), basisOf(findings)}}});
  sections.push_back({"How long, and at what cost", Audience::kAll, {sizingTable(findings)}});
  if (!notes.empty()) sections.push_back({"", Audience::kAll, {report::List{std::move(notes)}}});
  report::Table changes = changeTable(findings, /*has_all_runs=*/false);
  Section over_time{
      "Over time", Audience::kAll, {addPictures(sizingPictures(findings), answer.pictures)}};
  if (!changes.rows.empty()) over_time.blocks.emplace_back(std::move(changes));
  sections.push_back(std::move(over_time));
  sections.push_back(sizingMethod(findings, origin));
  return answer;
}

std::string sizingJson(const SizingFindings& findings, const Origin& origin) {
  const Experiment& experiment = findings.experiment;
  const SimulationInputs& inputs = experiment.simulation;
  report::Value json{{"schemaVersion", 1},
                     {"experiment", experiment.name},
                     {"simulated", findings.measured == nullptr},
                     {"version", origin.version},
                     {"command", origin.command},
                     {"seed", experiment.measurement.seed},
                     {"steps", stepsOf(experiment)}};
  if (findings.measured == nullptr) {
    json["reportSeconds"] = rounded(inputs.report_seconds);
    json["noise"] = rounded(inputs.noise);
  } else {
    json["complete"] = findings.measured->is_complete;
    json["machine"] = originJson(origin);
  }
  if (inputs.change_seconds) json["changeSeconds"] = rounded(*inputs.change_seconds);
  if (const auto& stop = experiment.measurement.stop) {
    json["stop"] = {{"halfWidth", stop->half_width}, {"maxRepetitions", stop->most_repetitions}};
  }
  for (std::size_t i = 0; i < findings.profiles.size(); ++i) {
    const JobProfile& profile = findings.profiles[i];
    json["profiles"].push_back({{"file", findings.profile_files[i]},
                                {"network", profile.subject.network},
                                {"optimizer", profile.subject.optimizer},
                                {"host", profile.machine.host},
                                {"cpu", profile.machine.cpu},
                                {"cores", profile.machine.cores},
                                {"version", profile.version},
                                {"disturbed", !disturbanceText(profile).empty()}});
  }
  if (!experiment.events.empty()) json["events"] = eventsText(experiment.events);
  json["sentences"] = sentencesOf(findings);
  json["cells"] = report::Value::array();
  const report::Table table = sizingTable(findings);
  for (std::size_t i = 0; i < findings.cells.size(); ++i)
    json["cells"].push_back(cellOf(findings, table, i));
  return json.dump(2, ' ', false, report::Value::error_handler_t::replace) + "\n";
}

}  // namespace sumac::experiment
