#include "exchange/plan/range_run.h"

namespace sumac {
std::vector<RangeRun> runsOf(const ExchangePlan& plan, const std::vector<std::uint32_t>& owned) {
  std::vector<RangeRun> runs;
  for (const std::uint32_t id : owned) {
    const Range& range = plan.ranges.at(id);
    RangeRun* const last = runs.empty() ? nullptr : &runs.back();
    if (last != nullptr && last->range + last->ranges == id &&
        last->count + range.count <= plan.longest_run) {
      ++last->ranges;
      last->count += range.count;
    } else {
      runs.push_back({id, 1, range.first, range.count});
    }
  }
  return runs;
}

std::optional<RangeRun> findRun(const ExchangePlan& plan, std::uint32_t range, std::uint64_t first,
                                std::uint32_t count) {
  if (range >= plan.ranges.size()) return std::nullopt;
  RangeRun run{range, 0, plan.ranges[range].first, 0};
  if (static_cast<std::uint64_t>(run.first) != first) return std::nullopt;
  while (run.count < count && range + run.ranges < plan.ranges.size()) {
    run.count += plan.ranges[range + run.ranges].count;
    ++run.ranges;
  }
  if (run.count != count || run.ranges == 0) return std::nullopt;
  return run;
}

}  // namespace sumac
