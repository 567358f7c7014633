#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/step.h"
#include "base/core/wall_time.h"
#include "planner/autoscaling/job_sizer.h"

namespace sumac::cli {

/// How a run sized itself, from its first attempt on. A value type.
struct SizingRecord {
  struct Change {
    Step step = 0;       // the last one that was known to be done
    double seconds = 0;  // since the run began
    int from = 1;
    int to = 1;
    autoscaling::Reason reason = autoscaling::Reason::kMeasuring;
    std::string text;  // of it, for people
  };

  autoscaling::Policy policy = {};
  WallTime started = {};  // the first attempt
  std::vector<Change> changes = {};
  autoscaling::SizingCourse course = {};  // its seconds count from `started`

  /// At the policy's prices; without them 0.
  double cost() const;
};

/// How a run ended: "throughput: workers 1 -> 2 -> 4, 431 worker-seconds, 120 server-seconds; cost
/// 0.43; budget of 5 kept, 4.57 are left". Of one that is not complete a deadline or a budget is
/// not kept yet.
std::string sizingText(const SizingRecord& record, bool is_complete);

/// Adds the record to a result.json, as `autoscaling`. Fails where the file cannot be read or
/// written.
Result<void> addToResult(const std::filesystem::path& result, const SizingRecord& record,
                         bool is_complete);

/// What addToResult() has written there, without the policy; numbers that cannot be are left out.
/// Nothing where there is none.
std::optional<SizingRecord> readSizing(const std::filesystem::path& result);

}  // namespace sumac::cli
