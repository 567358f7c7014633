#include "server/coordinator/weights_audit.h"

namespace sumac::server {

std::vector<Slot> WeightsAudit::report(Slot worker, Step step, std::uint32_t crc) {
  std::map<Slot, std::uint32_t>& reports = reports_[step];
  reports[worker] = crc;
  std::vector<Slot> different;
  if (reports.size() == workers_) {
    std::map<std::uint32_t, std::size_t> votes;
    for (const auto& [slot, value] : reports) {
      ++votes[value];
    }
    for (const auto& [slot, value] : reports) {
      if (votes[value] * 2 <= workers_ && votes.size() > 1) different.push_back(slot);
    }
    reports_.erase(step);
  }
  if (reports_.size() > kStepsKept) reports_.erase(reports_.begin());
  return different;
}

}  // namespace sumac::server
