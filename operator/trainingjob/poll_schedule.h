#pragma once

#include <map>
#include <optional>

#include "common/base/clock.h"
#include "operator/trainingjob/progress_source.h"

namespace sumac::trainingjob {

/// Whom to ask next, and what was answered: a pure state machine. Each target is asked every two
/// seconds; more than two hundred of them more rarely, so that asking stays at a hundred requests a
/// second; one that does not answer more and more rarely. Not thread-safe: see ProgressPoller.
class PollSchedule {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(2);
  static constexpr Duration kLongestInterval = std::chrono::seconds(30);
  static constexpr int kMostPerSecond = 100;

  void follow(const ProgressTarget& target, TimePoint now);
  void forget(const api::ObjectKey& key);

  /// The target that is due longest; it is not given again before done().
  std::optional<ProgressTarget> take(TimePoint now);
  /// When take() may give something although nothing is followed anew; nothing: never.
  std::optional<TimePoint> nextDue() const;

  /// What the target answered; nothing: not, or nothing to use. True: the job's percentage is new.
  /// An answer of a target that is followed no more is dropped.
  bool done(const ProgressTarget& target, std::optional<api::Progress> answer, TimePoint now);

  std::optional<api::Progress> latest(const api::ObjectKey& key, const std::string& uid,
                                      int attempt) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    ProgressTarget target;
    TimePoint due;
    bool is_busy = false;
    int failures = 0;  // in a row
    std::optional<api::Progress> progress;

    bool isWaiting() const { return !is_busy && !target.ip.empty(); }
  };

  std::map<api::ObjectKey, Entry> entries_;
};

/// Reads the answer of /progress. Fails with kInvalid, naming the field, when it is not about this
/// attempt of this job or has anything in it that a status could not hold.
Result<api::Progress> progressFromAnswer(const std::string& body, const ProgressTarget& target);

}  // namespace sumac::trainingjob
