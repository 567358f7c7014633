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

#include "experiment/measure/statistics.h"
#include "experiment/report/labels.h"

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
        sizingText(experiment, cells[i]) + "` ends first, after " + durationText(seconds) +
        ". It takes " + fixedText(seconds / played[i].best_fixed_seconds, 2) +
        " times as long as with the best fixed size, " + counted(played[i].best_fixed, "worker") +
        ", and " + fixedText(seconds / played[i].clairvoyant_seconds, 2) +
        " times as long as with a schedule that knows all events and all noise beforehand.");
  }
  return sentences;
}

std::string profileText(const SizingFindings& findings, std::size_t profile) {
  const ProfileMachine& machine = findings.profiles[profile].machine;
  const ProfileSubject& subject = findings.profiles[profile].subject;
  return findings.profile_files[profile] + " (" + subject.network + ", " + subject.optimizer +
         ", " + counted(machine.cores, "core") + " of " + machine.cpu + ", " + machine.host + ")";
}

/// What the numbers come from: "the profile kept.json (lenet5, ...), computing emulated x 120".
std::string basisOf(const SizingFindings& findings) {
  std::set<std::size_t> profiles;
  std::set<std::string> computing;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    if (findings.played[i].runs.empty()) continue;
    profiles.insert(findings.played[i].profile);
    computing.insert(computingText(findings.cells[i].conditions));
  }
  std::string text;
  for (const std::size_t profile : profiles)
    text += (text.empty() ? "By the profile " : " and ") + profileText(findings, profile);
  for (const std::string& one : computing)
    text += (one == *computing.begin() ? "; computing " : ", ") + one;
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
                    "). Raise spec.stop.maxRepetitions to simulate more runs.");
  }
  return notes;
}

std::vector<std::string> failuresOf(const SizingFindings& findings) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    if (findings.played[i].why_not.empty()) continue;
    lines.push_back("Cell " + std::to_string(findings.cells[i].number) + " (" +
                    cellText(findings.experiment.axes, findings.cells[i], {}) +
                    ") cannot be simulated: " + findings.played[i].why_not);
  }
  return lines;
}

std::int64_t stepsOf(const Experiment& experiment) {
  return experiment.measurement.steps + experiment.measurement.warmup_steps;
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
                          {"Simulated: nothing was run"}};
  if (failed > 0)
    heading.alarms.push_back(counted(static_cast<std::int64_t>(failed), "cell") + " not simulated");
  return heading;
}

std::string linksOf(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    const std::string link = linkText(cell.conditions);
    if (text.find(link) == text.npos) text += (text.empty() ? "" : ", ") + link;
  }
  return text;
}

Section methodOf(const SizingFindings& findings, const Origin& origin) {
  const Experiment& experiment = findings.experiment;
  const SimulationInputs& inputs = experiment.simulation;
  std::vector<std::pair<std::string, std::string>> entries{
      {"Steps", countText(stepsOf(experiment)) + " a run, the warm-up's included"},
      {"Links", linksOf(findings.cells)},
      {"A change", inputs.change_seconds ? shortText(*inputs.change_seconds) + " s"
                                         : "5 s, or 60 s where members may not change"},
      {"Reports", "every " + shortText(inputs.report_seconds) +
                      " s, in each of which steps are up to " + percentText(inputs.noise) +
                      " faster or slower, seed " + std::to_string(experiment.measurement.seed)}};
  for (std::size_t i = 0; i < findings.profiles.size(); ++i)
    entries.emplace_back("Profile", profileText(findings, i));
  for (const std::string& prices : pricesTexts(findings))
    entries.emplace_back("Prices", prices);
  if (!experiment.events.empty()) entries.emplace_back("Events", eventsText(experiment.events));
  entries.emplace_back("Sumac", origin.version);
  return {
      "How it was simulated",
      Audience::kPage,
      {report::Definitions{std::move(entries)},
       Paragraph{"Times of steps are those of the cost model, by the profile, on virtual time. "
                 "Policies are the code that sizes real jobs. The best fixed size is the one that "
                 "ends first when it never changes, of all that a cell beside it may have. The "
                 "clairvoyant schedule knows all events and all noise beforehand, begins with the "
                 "size that it likes and changes when that is best. Both meet the same events and "
                 "the same noise as the job, and stand still as long for a change, for a worker "
                 "that is lost, and where room changes."},
       Paragraph{"Deadlines, budgets and prices are those of a cell's own policy; what it has none "
                 "of is that of the first cell that differs from it in its sizing alone."},
       Paragraph{"A ± is half the 95 % interval of a mean, by Student's t over the runs of a "
                 "cell: it says how much noise matters, not how good the model is."},
       Paragraph{"To simulate it again:"}, report::Preformatted{origin.command}}};
}

report::Value changesOf(const Cell& cell, const std::vector<autoscaling::SizeChange>& changes) {
  report::Value list = report::Value::array();
  for (const autoscaling::SizeChange& change : changes) {
    list.push_back({{"seconds", rounded(change.at)},
                    {"from", change.from},
                    {"to", change.decision.workers},
                    {"reason", planner::reasonName(change.decision.reason)},
                    {"why", planner::reasonText(decisionOf(cell, change))}});
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
  if (!played.why_not.empty()) json["failure"] = played.why_not;
  json["runs"] = runsOf(cell, played);
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
  sections.push_back(methodOf(findings, origin));
  return answer;
}

std::string sizingJson(const SizingFindings& findings, const Origin& origin) {
  const Experiment& experiment = findings.experiment;
  const SimulationInputs& inputs = experiment.simulation;
  report::Value json{{"schemaVersion", 1},
                     {"experiment", experiment.name},
                     {"simulated", true},
                     {"version", origin.version},
                     {"command", origin.command},
                     {"seed", experiment.measurement.seed},
                     {"steps", stepsOf(experiment)},
                     {"reportSeconds", rounded(inputs.report_seconds)},
                     {"noise", rounded(inputs.noise)}};
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
