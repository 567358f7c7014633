#include "exchange/coordinator/stall_watch.h"

#include "exchange/membership/liveness.h"

namespace sumac {

void StallWatch::heard(Slot worker, std::uint64_t done, bool works) {
  Worker& known = workers_[worker];
  if (!works || !known.works || done != known.done) known.since = now_;
  known.done = done;
  known.works = works;
}

std::vector<Slot> StallWatch::tick(TimePoint now) {
  const bool is_late = now - now_ > Liveness::kLateTick;
  now_ = now;
  std::vector<Slot> hanging;
  if (!limit_) return {};
  for (auto& [slot, worker] : workers_) {
    if (is_late) worker.since = now;
    if (worker.works && now - worker.since >= *limit_) hanging.push_back(slot);
  }
  return hanging;
}

}  // namespace sumac
