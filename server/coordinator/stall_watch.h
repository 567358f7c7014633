#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/clock.h"
#include "common/base/slot.h"

namespace sumac::server {

/// Finds workers whose trainer hangs while their heartbeats go on: those that have work of their
/// own to do and have got nothing done for too long, be it a step, a part of one, a batch of an
/// evaluation or some bytes of a checkpoint. One that waits for others does not hang: they do, or
/// the network. A pure state machine.
class StallWatch {
 public:
  /// Without a limit nobody is said to hang.
  explicit StallWatch(std::optional<Duration> limit) : limit_(limit) {}

  /// A heartbeat: how much the worker has got done, and whether it works or waits for others.
  void heard(Slot worker, std::uint64_t done, bool works);
  /// Who hangs now, ordered by slot. Where the last call is long ago, we did not run ourselves:
  /// then time begins anew for all.
  std::vector<Slot> tick(TimePoint now);
  /// Has said last that it waits for others: its trainer does at once what it is asked to.
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

}  // namespace sumac::server
