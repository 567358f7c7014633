#include "exchange/coordinator/weights_audit.h"

#include <algorithm>

namespace sumac {

WeightsAudit::Outcome WeightsAudit::report(Slot worker, Step step, std::uint32_t crc) {
  reports_[step][worker] = crc;
  Outcome result = outcome(step);
  if (reports_.size() > kStepsKept) reports_.erase(reports_.begin());
  return result;
}

bool WeightsAudit::agreed(Step step) const {
  return outcome(step).agreed;
}

std::optional<WeightsAudit::Report> WeightsAudit::uncontested(Slot worker) const {
  for (auto step = reports_.rbegin(); step != reports_.rend(); ++step) {
    const auto own = step->second.find(worker);
    if (own == step->second.end()) continue;
    const bool same = std::all_of(step->second.begin(), step->second.end(),
                                  [&](const auto& report) { return report.second == own->second; });
    return same ? std::optional(Report{step->first, own->second}) : std::nullopt;
  }
  return std::nullopt;
}

bool WeightsAudit::hasReported(Slot worker, Step step) const {
  return std::any_of(reports_.lower_bound(step), reports_.end(),
                     [worker](const auto& reports) { return reports.second.contains(worker); });
}

WeightsAudit::Outcome WeightsAudit::outcome(Step step) const {
  const auto found = reports_.find(step);
  if (found == reports_.end() || found->second.size() < workers_) return {};
  std::map<std::uint32_t, std::size_t> votes;
  for (const auto& [slot, crc] : found->second) {
    ++votes[crc];
  }
  if (votes.size() == 1) return {true, {}};
  Outcome result;
  for (const auto& [slot, crc] : found->second) {
    if (votes[crc] * 2 <= workers_) result.different.push_back(slot);
  }
  return result;
}

}  // namespace sumac
