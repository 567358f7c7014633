#pragma once

#include <vector>

#include "base/core/clock.h"
#include "base/core/wait.h"
#include "base/log/log.h"
#include "base/telemetry/http_answer.h"

namespace sumac {

/// The answer of /stuck: who waits for whom at `now` (docs/metrics.md).
HttpAnswer stuckAnswer(const std::vector<Wait>& waits, TimePoint now);

/// Writes to the log who waits for whom. Owned by one thread.
class WaitLog {
 public:
  explicit WaitLog(const Log& log) : log_(log) {}

  /// Warns of the longest wait where it is long, once in kWaitWarned. Call with each new state.
  void onTick(const std::vector<Wait>& waits, TimePoint now);
  /// One line for each wait, since someone asked.
  void tell(const std::vector<Wait>& waits, TimePoint now) const;

 private:
  Log log_;
  TimePoint next_{};  // when to warn again
};

}  // namespace sumac
