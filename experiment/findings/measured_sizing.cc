#include "experiment/findings/measured_sizing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/core/units.h"

namespace sumac::experiment {
namespace {

double meanTime(const SimulatedCell& cell) {
  double sum = 0;
  for (const autoscaling::SimulatedRun& run : cell.runs)
    sum += run.seconds;
  return sum / static_cast<double>(cell.runs.size());
}

/// Of each group the fixed size that was measured and ends first, by the index of its cell.
std::map<int, std::size_t> bestFixed(const std::vector<Cell>& cells, const std::vector<int>& groups,
                                     const std::vector<SimulatedCell>& measured) {
  std::map<int, std::size_t> best;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (isSized(cells[i]) || measured[i].runs.empty()) continue;
    const auto [place, is_new] = best.try_emplace(groups[i], i);
    if (!is_new && meanTime(measured[i]) < meanTime(measured[place->second])) place->second = i;
  }
  return best;
}

/// Runs that differ in their sizes alone have the same seed, and are of one group.
std::string parametersText(const std::vector<int>& groups,
                           const std::vector<CellOutcome>& outcomes) {
  std::map<std::pair<int, std::uint64_t>, std::set<std::string>> hashes;
  std::int64_t runs = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    for (const RunFigures& run : outcomes[i].runs) {
      if (!run.sizing || run.sizing->parameters_sha256.empty()) continue;
      hashes[{groups[i], run.learned.seed}].insert(run.sizing->parameters_sha256);
      ++runs;
    }
  }
  if (runs < 2) return {};
  const bool is_same =
      std::ranges::all_of(hashes, [](const auto& one) { return one.second.size() == 1; });
  if (!is_same) return "Runs that differ in nothing but their sizes have different parameters.";
  const std::string which = counted(runs, "run");
  if (hashes.size() > 1)
    return "All " + which + " have the parameters of those that differ from them in sizes alone.";
  return "All " + which + " have the same parameters, SHA-256 " + *hashes.begin()->second.begin() +
         ".";
}

}  // namespace

MeasuredSizing measuredSizing(const Experiment& experiment, const std::vector<Cell>& cells,
                              const std::vector<CellOutcome>& outcomes,
                              const std::vector<std::string>& left_out,
                              const std::vector<SimulatedCell>& simulated) {
  const std::vector<int> groups = sizingGroups(experiment, cells);
  const std::vector<Goals> goals = goalsOf(cells, groups);
  MeasuredSizing measured;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    SimulatedCell cell = i < simulated.size() ? simulated[i] : SimulatedCell{};
    const bool is_simulated = !cell.runs.empty();
    measured.simulated_seconds.push_back(is_simulated ? std::optional(meanTime(cell))
                                                      : std::nullopt);
    measured.is_left_out.push_back(i < left_out.size() && !left_out[i].empty());
    cell.why_not = measured.is_left_out.back() ? left_out[i] : outcomes[i].failure;
    cell.goals = goals[i];
    cell.runs.clear();
    const int servers = cells[i].job.strategy.hasServers() ? cells[i].job.server.replicas : 0;
    measured.lacking_cores.push_back(mostLacking(outcomes[i].runs));
    auto& hashes = measured.parameters_sha256.emplace_back();
    for (const RunFigures& run : outcomes[i].runs) {
      if (!run.sizing) continue;
      cell.runs.push_back(spentBy(*run.sizing, servers, goals[i].prices));
      hashes.push_back(run.sizing->parameters_sha256);
    }
    measured.cells.push_back(std::move(cell));
  }
  const auto best = bestFixed(cells, groups, measured.cells);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto found = best.find(groups[i]);
    if (found == best.end()) continue;
    measured.cells[i].best_fixed = cells[found->second].job.worker.replicas;
    measured.cells[i].best_fixed_seconds = meanTime(measured.cells[found->second]);
  }
  measured.parameters = parametersText(groups, outcomes);
  return measured;
}

}  // namespace sumac::experiment
