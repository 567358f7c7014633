#include "exchange/coordinator/stop_vote.h"

#include <algorithm>

namespace sumac {

std::optional<Step> StopVote::prepared(Slot worker, Step begun) {
  if (committed_) return std::nullopt;
  begun_[worker] = begun;
  std::set<Slot> answered = lost_;
  for (const auto& [slot, step] : begun_)
    answered.insert(slot);
  if (answered.size() < workers_) return std::nullopt;
  committed_ = 0;
  for (const auto& [slot, step] : begun_) {
    committed_ = std::max(*committed_, step);
  }
  return committed_;
}

bool StopVote::allStopped() const {
  std::set<Slot> over = finished_;
  over.insert(stopped_.begin(), stopped_.end());
  over.insert(lost_.begin(), lost_.end());
  return over.size() == workers_ && !allFinished();
}

}  // namespace sumac
