#pragma once

#include <map>
#include <optional>

#include "base/core/clock.h"
#include "operator/trainingjob/progress/progress_source.h"

namespace sumac::trainingjob {

/// When to poll which target, and the newest answers: a pure state machine. Each target is polled
/// every two seconds. With more than two hundred targets the interval grows, so that all together
/// stay at a hundred requests per second. A target that does not answer is polled less and less
/// often. Not thread-safe: see ProgressPoller.
class PollSchedule {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(2);
  static constexpr Duration kLongestInterval = std::chrono::seconds(30);
  static constexpr int kMostPerSecond = 100;
  static constexpr Duration kBetweenWarnings = std::chrono::minutes(10);

  void follow(const ProgressTarget& target, TimePoint now);
  void forget(const api::ObjectKey& key);

  /// The target that has been due for longest; it is not returned again before done().
  std::optional<ProgressTarget> take(TimePoint now);
  /// When take() may return a target even if none is added; empty: never.
  std::optional<TimePoint> nextDue() const;

  /// Stores the answer of the target; empty: it gave none, or not a valid one. Returns whether the
  /// job's percentage or its members have changed. Answers of targets that are no longer followed
  /// are dropped.
  bool done(const ProgressTarget& target, std::optional<ProgressAnswer> answer, TimePoint now);

  /// Whether to log a warning about the target's answer now: a pod must not fill the operator's log
  /// with what it answers, so that is once in kBetweenWarnings for each job.
  bool mayWarn(const ProgressTarget& target, TimePoint now);

  std::optional<ProgressAnswer> latest(const api::ObjectKey& key, const std::string& uid,
                                       int attempt) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    ProgressTarget target;
    TimePoint due;
    bool is_busy = false;
    int failures = 0;  // in a row
    std::optional<TimePoint> last_warning;
    std::optional<ProgressAnswer> answer;

    bool isWaiting() const { return !is_busy && !target.ip.empty(); }
  };

  std::map<api::ObjectKey, Entry> entries_;
};

}  // namespace sumac::trainingjob
