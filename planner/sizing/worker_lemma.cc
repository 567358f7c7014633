#include "planner/sizing/worker_lemma.h"

#include <limits>
#include <string>

#include "planner/checks/checks.h"

namespace sumac::planner {
namespace {

constexpr std::string_view kWorkers = "number of workers";
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

Quantity ratio(double overhead_ratio) {
  return {"the overhead as a share of the computation", overhead_ratio, ""};
}

Quantity workersOf(std::int64_t workers) {
  return {"the number of workers", static_cast<double>(workers), ""};
}

}  // namespace

Result<double> overheadRatio(double compute_seconds, double overhead_seconds) {
  if (auto checked =
          checkPositive(kWorkers, {{"the time of the computation", compute_seconds, "s"}});
      !checked) {
    return checked.error();
  }
  const double quotient = overhead_seconds / compute_seconds;
  if (auto checked = checkNotNegative(
          kWorkers, {{"the time of the overhead", overhead_seconds, "s"}, ratio(quotient)});
      !checked) {
    return checked.error();
  }
  return quotient;
}

Result<double> speedupOf(double overhead_ratio, std::int64_t workers) {
  const auto efficiency = efficiencyOf(overhead_ratio, workers);
  if (!efficiency) return efficiency.error();
  return *efficiency * static_cast<double>(workers);
}

Result<double> efficiencyOf(double overhead_ratio, std::int64_t workers) {
  if (auto checked = checkPositive(kWorkers, {workersOf(workers)}); !checked) {
    return checked.error();
  }
  if (auto checked = checkNotNegative(kWorkers, {ratio(overhead_ratio)}); !checked) {
    return checked.error();
  }
  // As a sum of shares: no product that could overflow.
  const auto count = static_cast<double>(workers);
  return 1 / (1 / (1 + overhead_ratio) + count * (overhead_ratio / (1 + overhead_ratio)));
}

Result<double> speedupLimit(double overhead_ratio) {
  if (auto checked = checkNotNegative(kWorkers, {ratio(overhead_ratio)}); !checked) {
    return checked.error();
  }
  return overhead_ratio == 0 ? kNoLimit : 1 / overhead_ratio + 1;
}

Result<std::int64_t> smallestWorkers(double overhead_ratio, double speedup) {
  const auto limit = speedupLimit(overhead_ratio);
  if (!limit) return limit.error();
  if (auto checked = checkPositive(kWorkers, {{"the speedup", speedup, ""}}); !checked) {
    return checked.error();
  }
  const double share_left = 1 + overhead_ratio - speedup * overhead_ratio;
  if (speedup >= *limit || share_left <= kRounding) {
    return Error{ErrorCode::kInvalid,
                 std::string(kWorkers) + ": no number of workers is " +
                     toString({"", speedup, "times"}) + " as fast as one: with an overhead of " +
                     toString({"", overhead_ratio, ""}) + " of the computation the limit is " +
                     toString({"", *limit, "times"}) + "; an overhead below " +
                     toString({"", 1 / (speedup - 1), ""}) + " of the computation would do"};
  }
  return countFrom(kWorkers, speedup / share_left);
}

Result<double> largestOverheadRatio(double efficiency, std::int64_t workers) {
  if (auto checked =
          checkPositive(kWorkers, {{"the efficiency", efficiency, ""}, workersOf(workers)});
      !checked) {
    return checked.error();
  }
  if (efficiency > 1) {
    return Error{ErrorCode::kInvalid, std::string(kWorkers) + ": found an efficiency of " +
                                          toString({"", efficiency, ""}) + ", must be at most 1"};
  }
  const double speedup = efficiency * static_cast<double>(workers);
  return speedup <= 1 ? kNoLimit : (1 - efficiency) / (speedup - 1);
}

Result<double> overheadRatioForSpeedup(double speedup, std::int64_t workers) {
  if (auto checked = checkPositive(kWorkers, {{"the speedup", speedup, ""}, workersOf(workers)});
      !checked) {
    return checked.error();
  }
  const auto count = static_cast<double>(workers);
  if (speedup > count) {
    return Error{ErrorCode::kInvalid, std::string(kWorkers) + ": " + std::to_string(workers) +
                                          " workers cannot be " + toString({"", speedup, "times"}) +
                                          " as fast as one; take more workers"};
  }
  return largestOverheadRatio(speedup / count, workers);
}

}  // namespace sumac::planner
