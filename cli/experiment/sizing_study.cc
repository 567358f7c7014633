#include "cli/experiment/sizing_study.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "base/core/file.h"
#include "base/report/html.h"
#include "base/report/values.h"
#include "cli/experiment/predictions.h"
#include "cli/run/autoscaler.h"
#include "engine/nn/processors.h"
#include "job/document/job.h"

#include "experiment/document/metric.h"

namespace sumac::cli {
namespace {

using experiment::Cell;
using experiment::ScriptedEvent;

// On one machine, as the Autoscaler takes it before it has measured one.
constexpr double kChangeSeconds = 0.5;
// A worker tells at least so often how far it is.
constexpr double kReportEvery = 1;

Error unsupported(std::string message) {
  return {ErrorCode::kUnsupported, std::move(message)};
}

/// Why members of some job cannot change, as an event or a policy needs it; empty: they can.
std::string fixedMembers(const std::vector<Cell>& cells, bool has_events) {
  for (const Cell& cell : cells) {
    if (!has_events && !cell.job.autoscaling) continue;
    if (cell.job.canChangeMembers()) continue;
    return "cell " + std::to_string(cell.number) +
           ": members change while the job trains here: " + cell.job.fixedMembersCause();
  }
  return {};
}

/// Whether the event changes members.
bool changesMembers(const ScriptedEvent& event) {
  return event.kind != ScriptedEvent::Kind::kSlow;
}

/// Of the cell's job as it runs here.
Cell onThisMachine(const Cell& cell) {
  Cell here = cell;
  if (cell.job.autoscaling && !cell.conditions.is_emulated)
    here.job.worker.max_replicas = roomFor(cell.job, worker::usableProcessors());
  return here;
}

}  // namespace

Result<SimulatedBy> readSimulatedBy(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return SimulatedBy{};
  auto profiles = readProfiles(files, {});
  if (!profiles) return profiles.error();
  SimulatedBy by{*std::move(profiles), {}};
  for (const auto& file : files)
    by.files.push_back(file.string());
  return by;
}

Result<void> checkSizingHere(const PreparedExperiment& prepared) {
  const experiment::Experiment& experiment = prepared.experiment;
  if (!experiment.scale.empty())
    return unsupported(
        "spec.scale fixes how many workers there are, so that neither autoscaling nor events can "
        "change it; leave out one of them");
  if (isOfLearning(experiment.measurement.metric))
    return unsupported(
        "spec.measure asks what jobs learn, and how a job is sized does not change that; leave it "
        "out");
  const auto event = std::ranges::find_if(experiment.events, changesMembers);
  const bool has_events = event != experiment.events.end();
  const std::string why = fixedMembers(prepared.cells, has_events);
  if (why.empty()) return {};
  if (!has_events) return unsupported("spec.autoscaling of " + why);
  const auto index = event - experiment.events.begin();
  const job::Problem problem{experiment.file, event->position.line, event->position.column,
                             "spec.events[" + std::to_string(index) + "]",
                             why + "; leave the event out, or change that"};
  return unsupported(problem.text());
}

Result<void> checkSizingOnCluster(const PreparedExperiment& prepared, int parallel) {
  const experiment::Experiment& experiment = prepared.experiment;
  if (const auto possible = checkSizingHere(prepared); !possible) return possible.error();
  for (std::size_t i = 0; i < experiment.events.size(); ++i) {
    const ScriptedEvent& event = experiment.events[i];
    if (event.kind != ScriptedEvent::Kind::kSlow) continue;
    const job::Problem problem{experiment.file, event.position.line, event.position.column,
                               "spec.events[" + std::to_string(i) + "].slow",
                               "cannot happen to workers of a cluster; leave it out, or measure "
                               "without --cluster"};
    return unsupported(problem.text());
  }
  if (limitsRoom(experiment) && parallel > 1)
    return unsupported(
        "spec.events has room, which is a limit on all pods of the namespace, so that one job runs "
        "at a time; leave out --parallel");
  const experiment::HpaRule defaults;
  for (const Cell& cell : prepared.cells) {
    const auto& hpa = cell.conditions.hpa;
    if (!hpa ||
        (hpa->period_seconds == defaults.period_seconds && hpa->tolerance == defaults.tolerance))
      continue;
    return unsupported("cell " + std::to_string(cell.number) +
                       ": periodSeconds and tolerance of a HorizontalPodAutoscaler are settings of "
                       "the whole cluster; leave them out");
  }
  return {};
}

bool limitsRoom(const experiment::Experiment& experiment) {
  return std::ranges::find(experiment.events, ScriptedEvent::Kind::kRoom, &ScriptedEvent::kind) !=
         experiment.events.end();
}

std::vector<std::string> leftOutOnCluster(const std::vector<Cell>& cells, bool has_metrics) {
  std::vector<std::string> reasons;
  for (const Cell& cell : cells) {
    std::string& reason = reasons.emplace_back();
    if (!cell.conditions.hpa) continue;
    if (cell.conditions.is_emulated)
      reason =
          "emulated workers use no processor time that a HorizontalPodAutoscaler could see; "
          "--simulate plays it by its formula";
    else if (!has_metrics)
      reason =
          "a HorizontalPodAutoscaler needs metrics of pods, and the cluster has none: "
          "metrics-server provides them";
  }
  return reasons;
}

std::vector<std::string> leftOutHere(const std::vector<Cell>& cells) {
  std::vector<std::string> reasons;
  for (const Cell& cell : cells) {
    reasons.emplace_back(
        cell.conditions.hpa
            ? "a HorizontalPodAutoscaler needs a cluster; --simulate plays it by its formula"
            : "");
  }
  return reasons;
}

std::vector<experiment::SimulatedCell> simulatedHere(const PreparedExperiment& prepared,
                                                     const std::vector<JobProfile>& profiles) {
  experiment::Experiment experiment = prepared.experiment;
  experiment::SimulationInputs& inputs = experiment.simulation;
  inputs.noise = 0;
  inputs.report_seconds = kReportEvery;
  inputs.change_seconds = inputs.change_seconds.value_or(kChangeSeconds);
  std::vector<Cell> cells;
  for (const Cell& cell : prepared.cells)
    cells.push_back(onThisMachine(cell));
  return simulateCells(experiment, cells, profiles);
}

Result<report::Report> writeSizing(const ExperimentFolder& folder,
                                   const experiment::SizingFindings& findings,
                                   const experiment::Origin& origin) {
  folder.removePictures();
  auto answer = experiment::sizingReport(findings, origin);
  std::vector<std::pair<std::filesystem::path, std::string>> files{
      {folder.csv(), report::toCsv(experiment::sizingTable(findings))},
      {folder.decisions(), report::toCsv(experiment::changeTable(findings, true))},
      {folder.results(), experiment::sizingJson(findings, origin)},
      {folder.report(), report::toPage(answer.report)}};
  for (const auto& [name, drawing] : answer.pictures)
    files.emplace_back(folder.picture(name), report::svgFile(drawing));
  for (const auto& [file, text] : files) {
    if (const auto written = replaceFile(file, asBytes(text)); !written) return written.error();
  }
  return std::move(answer.report);
}

}  // namespace sumac::cli
