#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/core/units.h"

#include "experiment/report/labels.h"
#include "experiment/report/sizing_report.h"

namespace sumac::experiment {
namespace {

using report::Audience;
using report::Paragraph;
using report::Section;

using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kJudgedBy =
    "Deadlines, budgets and prices are those of a cell's own policy; what it has none of is that "
    "of the first cell that differs from it in its sizing alone.";

std::string linksOf(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) {
    const std::string link = linkText(cell.conditions);
    if (text.find(link) == text.npos) text += (text.empty() ? "" : ", ") + link;
  }
  return text;
}

/// By what was simulated, and what happened.
void addInputs(const SizingFindings& findings, Entries& entries) {
  for (std::size_t i = 0; i < findings.profiles.size(); ++i)
    entries.emplace_back("Profile", profileText(findings, i));
  for (const std::string& prices : pricesTexts(findings))
    entries.emplace_back("Prices", prices);
  const auto& events = findings.experiment.events;
  if (!events.empty()) entries.emplace_back("Events", eventsText(events));
}

Section simulatedMethod(const SizingFindings& findings, const Origin& origin) {
  const Experiment& experiment = findings.experiment;
  const SimulationInputs& inputs = experiment.simulation;
  Entries entries{
      {"Steps", countText(stepsOf(experiment)) + " a run, the warm-up's included"},
      {"Links", linksOf(findings.cells)},
      {"A change", inputs.change_seconds ? shortText(*inputs.change_seconds) + " s"
                                         : "5 s, or 60 s where members may not change"},
      {"Reports", "every " + shortText(inputs.report_seconds) +
                      " s, in each of which steps are up to " + percentText(inputs.noise) +
                      " faster or slower, seed " + std::to_string(experiment.measurement.seed)}};
  addInputs(findings, entries);
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
       Paragraph{kJudgedBy},
       Paragraph{"A ± is half the 95 % interval of a mean, by Student's t over the runs of a "
                 "cell: it says how much noise matters, not how good the model is."},
       Paragraph{"To simulate it again:"}, report::Preformatted{origin.command}}};
}

/// Of jobs that really ran.
Section measuredMethod(const SizingFindings& findings, const Origin& origin) {
  Entries entries{{"Steps", countText(stepsOf(findings.experiment)) + " a run"},
                  {"Links", linksOf(findings.cells)}};
  addInputs(findings, entries);
  entries.emplace_back(
      "Machine", origin.cluster.empty()
                     ? origin.host + ", " + counted(origin.cores, "core") + " of " + origin.cpu
                     : origin.cluster + ", namespace " + origin.name_space);
  entries.emplace_back("Sumac", origin.version);
  return {"How it was measured",
          Audience::kPage,
          {report::Definitions{std::move(entries)},
           Paragraph{"Times are from the end of the first step to the end of the last one, changes "
                     "included. The best fixed size is that of the cells beside it that ends "
                     "first, or where none is fixed that of a simulation; the clairvoyant schedule "
                     "is simulated."},
           Paragraph{"Simulated times are those of --simulate by the same profile, without noise: "
                     "what one would have known before."},
           Paragraph{kJudgedBy},
           Paragraph{"A ± is half the 95 % interval of a mean, by Student's t over the runs of a "
                     "cell."},
           Paragraph{"To measure it again:"}, report::Preformatted{origin.command}}};
}

}  // namespace

std::int64_t stepsOf(const Experiment& experiment) {
  return experiment.measurement.steps + experiment.measurement.warmup_steps;
}

std::string profileText(const SizingFindings& findings, std::size_t profile) {
  const ProfileMachine& machine = findings.profiles[profile].machine;
  const ProfileSubject& subject = findings.profiles[profile].subject;
  return findings.profile_files[profile] + " (" + subject.network + ", " + subject.optimizer +
         ", " + counted(machine.cores, "core") + " of " + machine.cpu + ", " + machine.host + ")";
}

Section sizingMethod(const SizingFindings& findings, const Origin& origin) {
  return findings.measured == nullptr ? simulatedMethod(findings, origin)
                                      : measuredMethod(findings, origin);
}

}  // namespace sumac::experiment
