#pragma once

#include <map>
#include <optional>

#include "base/core/clock.h"
#include "exchange/membership/part_time.h"
#include "job/progress/progress.h"

namespace sumac {

/// Finds a worker that takes longer for a part than the others do, who wait for its sums: by what
/// heartbeats tell, over some seconds and steps at a time. A pure state machine.
class StragglerWatch {
 public:
  /// Of a roster with so many workers.
  explicit StragglerWatch(int workers = 0) : workers_(workers) {}

  /// A heartbeat of a worker of the roster.
  void heard(int worker, const PartTime& so_far);
  /// The slowest worker, if a part takes it at least a fifth longer than the median of the others;
  /// of the newest time that was long enough.
  std::optional<Straggler> find(TimePoint now);

 private:
  struct Worker {
    PartTime before;  // as the time began that is compared
    PartTime newest;

    double steps() const { return newest.steps - before.steps; }
    double secondsOfPart() const;
  };

  bool isLongEnough(TimePoint now) const;
  std::optional<Straggler> slowest() const;

  int workers_;
  std::map<int, Worker> told_;
  std::optional<TimePoint> since_;  // all workers have told something
  std::optional<Straggler> found_;
};

}  // namespace sumac
