#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/api/objects.h"
#include "common/base/clock.h"

namespace sumac::control {

/// What waits to be reconciled: a pure state machine. A key is handed out once at a time; added
/// while it is being worked on, it comes again once. Of several delays of a key the earliest
/// counts. Not thread-safe: see BlockingQueue.
class WorkQueue {
 public:
  using Key = api::ObjectKey;

  static constexpr Duration kFirstBackoff = std::chrono::milliseconds(5);
  static constexpr Duration kLongestBackoff = std::chrono::seconds(60);

  void add(const Key& key);
  void addAfter(const Key& key, TimePoint when);
  /// Add with the key's next back-off: 5 ms doubled per failure in a row, at most a minute.
  void addAfterFailure(const Key& key, TimePoint now);
  void forgetFailures(const Key& key);

  /// The next key that is due, in the order of their coming; it counts as worked on until done().
  std::optional<Key> take(TimePoint now);
  /// Requires a key that take() gave and that is not done yet.
  void done(const Key& key);

  /// When take() may give something although nothing is added; nothing: never.
  std::optional<TimePoint> nextDue() const;
  /// Keys that only wait for a taker.
  std::size_t depth() const { return ready_.size(); }
  /// Keys that wait for their time.
  std::size_t delayed() const { return due_.size(); }

 private:
  void addAllDue(TimePoint now);

  std::deque<Key> ready_;
  std::set<Key> waiting_;  // what is in ready_
  std::set<Key> working_;
  std::set<Key> again_;  // of working_, what was added meanwhile
  std::map<Key, TimePoint> due_;
  std::set<std::pair<TimePoint, Key>> by_time_;  // due_, the earliest first
  std::map<Key, int> failures_;                  // in a row
};

}  // namespace sumac::control
