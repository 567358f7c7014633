#include "exchange/coordinator/suspicions.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sumac {

void Suspicions::add(Slot one, Slot other, TimePoint now) {
  if (pairs_.empty()) since_ = now;
  pairs_.insert(std::minmax(one, other));
}

void Suspicions::forget(Slot member) {
  std::erase_if(pairs_,
                [&](const auto& pair) { return pair.first == member || pair.second == member; });
}

std::optional<Slot> Suspicions::judge(TimePoint now, Slot coordinator) const {
  if (pairs_.empty() || now - since_ < kGather) return std::nullopt;
  std::map<Slot, int> counts;
  for (const auto& [one, other] : pairs_) {
    ++counts[one];
    ++counts[other];
  }
  counts.erase(coordinator);
  const auto weight = [](const auto& entry) {
    const auto& [slot, count] = entry;
    return std::tuple(count, slot.role == Role::kWorker, slot.index);
  };
  return std::ranges::max_element(counts, {}, weight)->first;
}

}  // namespace sumac
