#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/core/clock.h"
#include "base/core/slot.h"

namespace sumac {

/// Finds workers whose trainer hangs while their heartbeats go on: those that have work of their
/// own and have completed none of it for too long: no part of a step, no batch of an evaluation, no
/// piece of a file. A worker that waits for others does not hang: they do, or the network. A pure
/// state machine.
class StallWatch {
 public:
  /// Without a limit no worker counts as hanging.
  explicit StallWatch(std::optional<Duration> limit) : limit_(limit) {}

  /// A heartbeat: how much the worker has got done, and whether it works or waits for others.
  void heard(Slot worker, std::uint64_t done, bool works);
  /// The worker is lost, so nothing is expected of it.
  void forget(Slot worker) { workers_.erase(worker); }
  /// The workers that hang now, ordered by slot. After a long pause between two calls this process
  /// itself did not run, so the time of every worker starts again.
  std::vector<Slot> tick(TimePoint now);
  /// Whether the last heartbeat of `worker` said that it waits for others: then its trainer follows
  /// an order at once.
  bool isFree(Slot worker) const {
    const auto found = workers_.find(worker);
    return found != workers_.end() && !found->second.works;
  }

 private:
  struct Worker {
    std::uint64_t done = 0;
    bool works = false;
    TimePoint since;  // it has got on, or waited
  };

  std::optional<Duration> limit_;
  TimePoint now_;
  std::map<Slot, Worker> workers_;
};

}  // namespace sumac
