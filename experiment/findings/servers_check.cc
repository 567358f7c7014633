#include "experiment/findings/servers_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/core/check.h"
#include "planner/sizing/server_lemma.h"

#include "experiment/findings/axes.h"

namespace sumac::experiment {
namespace {

/// A cell that tells all that the lemma asks for.
struct ServersCell {
  const Cell* cell = nullptr;
  const CellSummary* summary = nullptr;
};

/// Whether a value of this axis sets the number of servers, and nothing else.
bool setsServers(const Axis& axis, const std::string& name) {
  const auto value = std::ranges::find(axis.values, name, &AxisValue::name);
  return value != axis.values.end() && value->settings.size() == 1 &&
         value->settings.front().path == "spec.server.replicas";
}

bool tellsAll(const Cell& cell, const CellSummary& summary) {
  return cell.job.server.replicas > 0 && cell.conditions.link_bits_per_second &&
         summary.batches_per_second && summary.phases && summary.bytes;
}

/// What the lemma reads, each a mean of these cells; they have one link and number of workers.
planner::ServerLoad loadOf(const std::vector<ServersCell>& cells) {
  constexpr double kBits = 8;
  const auto count = static_cast<double>(cells.size());
  double bytes = 0;
  planner::ServerLoad load;
  for (const auto& [cell, summary] : cells) {
    bytes += summary->bytes->sent / count;
    load.compute_seconds +=
        (summary->phases->gradient_seconds + summary->phases->update_seconds) / count;
  }
  const Cell& any = *cells.front().cell;
  load.parameter_bytes = std::llround(bytes);
  load.workers = any.job.worker.replicas;
  load.server_bytes_per_second = static_cast<double>(*any.conditions.link_bits_per_second) / kBits;
  return load;
}

std::optional<ServersCheck> checkOf(std::size_t axis, const std::vector<ServersCell>& cells) {
  if (cells.size() < 2) return std::nullopt;
  const planner::ServerLoad load = loadOf(cells);
  const auto servers = planner::smallestServers(load);
  const auto exchange = planner::computeSecondsNeeded(load, /*servers=*/1);
  if (!servers || !exchange) return std::nullopt;  // nothing was sent, or computing took no time
  ServersCheck check;
  check.cell = cells.front().cell;
  check.axis = axis;
  check.workers = static_cast<int>(load.workers);
  check.compute_seconds = load.compute_seconds;
  check.exchange_seconds = *exchange;
  check.servers = *servers;
  for (const auto& [cell, summary] : cells) {
    const Estimate& speed = *summary->batches_per_second;
    ServersCheck::Measured measured{
        cell->job.server.replicas, 1 / (speed.mean * load.compute_seconds), {}};
    if (const auto share = speed.relativeHalfWidth()) measured.half_width = *share * measured.step;
    check.measured.push_back(measured);
  }
  return check;
}

}  // namespace

std::vector<ServersCheck> serversChecks(const Experiment& experiment,
                                        const std::vector<Cell>& cells,
                                        const std::vector<CellSummary>& summaries) {
  SUMAC_CHECK(cells.size() == summaries.size(), cells.size(), summaries.size());
  std::vector<ServersCheck> checks;
  for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis) {
    std::map<std::vector<std::string>, std::vector<ServersCell>> sets;  // by their other values
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!setsServers(experiment.axes[axis], cells[i].values[axis])) continue;
      if (!tellsAll(cells[i], summaries[i])) continue;
      auto others = cells[i].values;
      others[axis].clear();
      sets[std::move(others)].push_back({&cells[i], &summaries[i]});
    }
    for (const auto& [others, set] : sets) {
      if (auto check = checkOf(axis, set)) checks.push_back(*std::move(check));
    }
  }
  return checks;
}

}  // namespace sumac::experiment
