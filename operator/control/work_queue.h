#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/core/clock.h"
#include "kube/api/objects.h"

namespace sumac::control {

/// The keys that wait to be reconciled: a pure state machine. A key is given to one taker at a
/// time; if it is added while it is being worked on, it is given once more after done(). If a key
/// has several delays, the earliest counts. Not thread-safe: see BlockingQueue.
///
/// Namespaces share the workers, and a webhook of one can hold each of its requests for half a
/// minute. So one namespace has at most half of the workers, and the last free worker is for a
/// namespace that has none and has not been slow lately. With that, two namespaces leave one of
/// three workers or more to others, and so does any number of slow ones once each was slow.
class WorkQueue {
 public:
  using Key = api::ObjectKey;

  static constexpr Duration kFirstBackoff = std::chrono::milliseconds(5);
  static constexpr Duration kLongestBackoff = std::chrono::seconds(60);
  static constexpr int kUnshared = std::numeric_limits<int>::max();
  /// A namespace is slow when a key of it was worked on for so long, and counts as slow for so long
  /// after that: most of its keys take no time, as nothing has to be done for them.
  static constexpr Duration kSlow = std::chrono::seconds(5);
  static constexpr Duration kSlowFor = std::chrono::minutes(10);

  /// `workers`: how many keys are worked on at a time, at least 1; kUnshared: namespaces have no
  /// limits.
  explicit WorkQueue(int workers = kUnshared);

  void add(const Key& key);
  void addAfter(const Key& key, TimePoint when);
  /// Adds the key after its back-off: 5 ms, doubled with each failure in a row, at most a minute.
  void addAfterFailure(const Key& key, TimePoint now);
  void forgetFailures(const Key& key);

  /// The next key that is due and whose namespace may have one more worker, first in, first out. It
  /// counts as worked on until done(). Requires a worker that is free.
  std::optional<Key> take(TimePoint now);
  /// Requires a key from take() that is not done yet.
  void done(const Key& key, TimePoint now);

  /// When take() may return a key even if none is added or done; empty: never.
  std::optional<TimePoint> nextDue() const;
  /// Number of keys that are due, those of namespaces at their limit included.
  std::size_t depth() const { return waiting_.size(); }
  /// Number of keys that are delayed.
  std::size_t delayed() const { return due_.size(); }

 private:
  /// The keys of one namespace; dropped when it has none.
  struct Share {
    std::deque<std::pair<std::uint64_t, Key>> ready;  // with the number of its arrival
    int working = 0;
  };
  using Shares = std::map<std::string, Share>;
  using Offers = std::map<std::uint64_t, Shares::iterator>;

  void addAllDue(TimePoint now);
  /// Offers the namespace's first key if the namespace is below its limit.
  void offer(Shares::iterator share);
  void withdraw(const Share& share);
  Offers::const_iterator firstOffer() const;

  const int workers_;
  Shares shares_;
  Offers offered_;  // namespaces below their limit, by the arrival of their first key
  std::uint64_t arrivals_ = 0;
  std::set<Key> waiting_;                  // the keys that are ready
  std::map<Key, TimePoint> working_;       // since when
  std::map<std::string, TimePoint> slow_;  // namespaces, when one was last
  std::set<Key> again_;                    // keys of working_ that were added meanwhile
  std::map<Key, TimePoint> due_;
  std::set<std::pair<TimePoint, Key>> by_time_;  // due_ sorted by time
  std::map<Key, int> failures_;                  // in a row
};

}  // namespace sumac::control
