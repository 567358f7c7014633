#pragma once

#include <string>
#include <vector>

#include "experiment/findings/findings.h"
#include "experiment/report/experiment_report.h"
#include "experiment/simulate/simulate.h"

namespace sumac::experiment {

/// What a simulated experiment found. Its parts outlive it.
struct SizingFindings {
  const Experiment& experiment;
  const std::vector<Cell>& cells;
  const std::vector<SimulatedCell>& played;  // one for each cell
};

/// A row for each cell: time to end, worker-hours, cost, deadline, changes, and the ratios to the
/// best fixed size and to who knows the future; all columns of cells.csv.
report::Table sizingTable(const SizingFindings& findings);

/// Why a simulated job changed its size, for programs and for people. What is no reason of a policy
/// is a HorizontalPodAutoscaler's.
std::string reasonCode(autoscaling::Reason reason);
std::string reasonText(autoscaling::Reason reason);

/// "worker 1 computes 2 times as long from 30 s on".
std::string eventsText(const std::vector<ScriptedEvent>& events);

/// When the jobs of cells changed their size, and why: of the first run of each cell that is sized.
report::Table changeTable(const SizingFindings& findings);

/// Workers over time, and what had been spent, of the first run of each cell.
std::vector<Picture> sizingPictures(const SizingFindings& findings);

/// How the jobs sized themselves: in sentences and tables, for terminals and report.html.
ExperimentReport sizingReport(const SizingFindings& findings, const Origin& origin);

/// results.json of it.
std::string sizingJson(const SizingFindings& findings, const Origin& origin);

}  // namespace sumac::experiment
