#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/core/units.h"
#include "base/report/colours.h"
#include "base/report/line_chart.h"

#include "experiment/report/sizing_report.h"

namespace sumac::experiment {
namespace {

using autoscaling::SimulatedRun;
using autoscaling::SizePhase;

constexpr std::size_t kMostSizingGroups = 12;  // more make a page that nobody reads

report::Series workersOver(const std::string& name, const SimulatedRun& run) {
  report::Series series{name, {}};
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const SizePhase& phase = run.phases[i];
    const double end = i + 1 < run.phases.size() ? run.phases[i + 1].begin : run.seconds;
    series.points.push_back({phase.begin, static_cast<double>(phase.workers)});
    series.points.push_back({end, static_cast<double>(phase.workers)});
  }
  return series;
}

/// In money, or without prices in worker-hours.
report::Series spentOver(const std::string& name, const SimulatedRun& run, bool has_prices) {
  constexpr double kHour = 3'600;
  report::Series series{name, {}};
  for (const SizePhase& phase : run.phases)
    series.points.push_back({phase.begin, has_prices ? phase.cost : phase.worker_seconds / kHour});
  series.points.push_back({run.seconds, has_prices ? run.cost : run.worker_seconds / kHour});
  return series;
}

/// The cells of a group that are drawn: those that size themselves, then the best fixed size.
std::vector<std::size_t> drawnCells(const SizingFindings& findings,
                                    const std::vector<std::size_t>& group) {
  std::vector<std::size_t> drawn;
  for (const std::size_t i : group) {
    if (isSized(findings.cells[i]) && !findings.played[i].runs.empty()) drawn.push_back(i);
  }
  const auto is_best = [&findings](std::size_t i) {
    return !isSized(findings.cells[i]) && !findings.played[i].runs.empty() &&
           findings.cells[i].job.worker.replicas == findings.played[i].best_fixed;
  };
  if (const auto best = std::ranges::find_if(group, is_best); best != group.end())
    drawn.push_back(*best);
  if (drawn.size() > report::kSeries) drawn.resize(report::kSeries);
  return drawn;
}

void addCharts(const SizingFindings& findings, const std::vector<std::size_t>& group,
               const std::string& number, std::vector<Picture>& pictures) {
  const auto drawn = drawnCells(findings, group);
  if (drawn.empty()) return;
  const Cell& first = findings.cells[drawn.front()];
  const bool has_prices = findings.played[drawn.front()].goals.hasPrices();
  const std::string of = groupText(findings.experiment, first);
  const std::string suffix = of.empty() ? "" : ", " + of;
  const char* const x_title = "seconds since the first step";
  report::LineChart workers{"Workers over time" + suffix, x_title, {}};
  report::LineChart spent{
      (has_prices ? "Cost so far" : "Worker-hours so far") + suffix, x_title, {}};
  workers.is_continuous = spent.is_continuous = true;
  workers.note = eventsText(findings.experiment.events);
  for (const std::size_t i : drawn) {
    const std::string name = sizingText(findings.experiment, findings.cells[i]);
    const SimulatedRun& run = findings.played[i].runs.front();
    workers.series.push_back(workersOver(name, run));
    spent.series.push_back(spentOver(name, run, has_prices));
  }
  pictures.push_back({"sizing-workers" + number, draw(workers)});
  pictures.push_back({"sizing-cost" + number, draw(spent)});
}

}  // namespace

std::vector<Picture> sizingPictures(const SizingFindings& findings) {
  std::map<int, std::vector<std::size_t>> groups;
  const auto group_of = sizingGroups(findings.experiment, findings.cells);
  for (std::size_t i = 0; i < group_of.size(); ++i)
    groups[group_of[i]].push_back(i);
  std::vector<Picture> pictures;
  for (const auto& [number, cells] : groups) {
    if (number >= static_cast<int>(kMostSizingGroups)) break;
    addCharts(findings, cells, groups.size() > 1 ? "-" + std::to_string(number + 1) : "", pictures);
  }
  return pictures;
}

std::string eventsText(const std::vector<ScriptedEvent>& events) {
  std::string text;
  for (const ScriptedEvent& event : events) {
    const std::string at = shortText(event.seconds) + " s";
    const std::string worker = "worker " + std::to_string(event.worker);
    text += text.empty() ? "" : ", ";
    switch (event.kind) {
      case ScriptedEvent::Kind::kRoom:
        text += "room for " + counted(event.workers, "worker") + " from " + at + " on";
        break;
      case ScriptedEvent::Kind::kSlow:
        text +=
            worker + " computes " + shortText(event.factor) + " times as long from " + at + " on";
        break;
      case ScriptedEvent::Kind::kKill: text += worker + " is lost at " + at; break;
    }
  }
  return text;
}

}  // namespace sumac::experiment
