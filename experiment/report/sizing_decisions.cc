#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/core/rounded.h"
#include "base/core/units.h"
#include "planner/autoscaling/policy_of.h"
#include "planner/report/autoscaling_words.h"

#include "experiment/report/labels.h"
#include "experiment/report/sizing_report.h"

namespace sumac::experiment {
namespace {

using autoscaling::SimulatedRun;

constexpr std::size_t kMostChangeRows = 100;

/// A row of the table of changes, or what keeps a size.
std::vector<report::Cell> rowOf(const SizingFindings& findings, std::size_t cell, int run,
                                const autoscaling::SizeChange& change) {
  const int to = change.decision.workers;
  return {{.value = findings.cells[cell].number},
          {.value = run},
          {cellText(findings.experiment.axes, findings.cells[cell], {})},
          {groupedText(change.at, 1), rounded(change.at)},
          {.value = change.from},
          {to == change.from ? "stays" : std::to_string(to), to},
          {std::string(planner::reasonName(change.decision.reason))},
          {whyText(findings.cells[cell], change)}};
}

/// In order of time.
std::vector<autoscaling::SizeChange> decisionsOf(const SimulatedRun& run) {
  std::vector<autoscaling::SizeChange> all = run.changes;
  all.insert(all.end(), run.stays.begin(), run.stays.end());
  std::ranges::sort(all, {}, &autoscaling::SizeChange::at);
  return all;
}

}  // namespace

report::Table changeTable(const SizingFindings& findings, bool has_all_runs) {
  constexpr auto kFigure = report::ColumnKind::kNumber;
  report::Table table{.caption = "What decided the size, in the first run of each cell",
                      .columns = {{"cell", "Cell", "", kFigure},
                                  {"run", "", "", kFigure},
                                  {"sizing", "Sizing"},
                                  {"seconds", "At", "s", kFigure},
                                  {"from", "From", "", kFigure},
                                  {"to", "To", "", kFigure},
                                  {"reason", ""},
                                  {"why", "Why", "", report::ColumnKind::kSentence}},
                      .most_rows = kMostChangeRows,
                      .noun = "decision"};
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    int number = 0;
    for (const SimulatedRun& run : findings.played[i].runs) {
      if (++number > 1 && !has_all_runs) break;
      for (const autoscaling::SizeChange& change : decisionsOf(run))
        table.rows.push_back(rowOf(findings, i, number, change));
    }
  }
  return table;
}

std::string whyText(const Cell& cell, const autoscaling::SizeChange& change) {
  if (!change.told.empty()) return change.told;
  autoscaling::Policy policy;
  if (cell.job.autoscaling) policy = autoscaling::policyOf(*cell.job.autoscaling);
  return planner::reasonText({policy, change.from, change.decision});
}

}  // namespace sumac::experiment
