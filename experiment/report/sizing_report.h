#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "job/profile/job_profile.h"

#include "experiment/findings/findings.h"
#include "experiment/findings/measured_sizing.h"
#include "experiment/report/experiment_report.h"
#include "experiment/simulate/simulate.h"

namespace sumac::experiment {

/// What a simulated experiment found, or one that was measured. Its parts outlive it.
struct SizingFindings {
  const Experiment& experiment;
  const std::vector<Cell>& cells;
  const std::vector<SimulatedCell>& played;       // one for each cell
  const std::vector<JobProfile>& profiles;        // of what is simulated; empty: nothing is
  const std::vector<std::string>& profile_files;  // of which files these are
  const MeasuredSizing* measured = nullptr;       // whose cells were played; null: all is simulated
};

/// A row for each cell: time to end, worker-hours, cost, what it is judged by, changes, and the
/// ratios to the best fixed size and to who knows the future; all columns of cells.csv.
report::Table sizingTable(const SizingFindings& findings);

/// "worker 1 computes 2 times as long from 30 s on".
std::string eventsText(const std::vector<ScriptedEvent>& events);

/// When the jobs of cells changed their size or were to keep it, and why: of the first run of each
/// cell that is sized, or of all.
report::Table changeTable(const SizingFindings& findings, bool has_all_runs);

/// Why a cell's job made a decision, as it told it, or else in the words that there are for it
/// (planner/report).
std::string whyText(const Cell& cell, const autoscaling::SizeChange& change);

/// "1 a worker-hour, 0.5 a server-hour"; and those that there are, each once.
std::string pricesText(const autoscaling::Prices& prices);
std::set<std::string> pricesTexts(const SizingFindings& findings);

/// Workers over time, and what had been spent, of the first run of each cell.
std::vector<Picture> sizingPictures(const SizingFindings& findings);

/// "kept.json (lenet5, sgd, 2 cores of ...)"; steps of a run, the warm-up's included.
std::string profileText(const SizingFindings& findings, std::size_t profile);
std::int64_t stepsOf(const Experiment& experiment);

/// How it was simulated or measured, and the command that does it again.
report::Section sizingMethod(const SizingFindings& findings, const Origin& origin);

/// How the jobs sized themselves: in sentences and tables, for terminals and report.html.
ExperimentReport sizingReport(const SizingFindings& findings, const Origin& origin);

/// results.json of it.
std::string sizingJson(const SizingFindings& findings, const Origin& origin);

}  // namespace sumac::experiment
