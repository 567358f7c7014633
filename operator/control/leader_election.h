#pragma once

#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/base/wall_time.h"
#include "common/kube/lease.h"

namespace sumac::control {

struct ElectionOptions {
  std::string identity;  // of this process alone: host name and random bits
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
};

/// Whether the periods leave a leader the time to notice its loss before another one takes over.
/// Fails with kInvalid and the rule that is broken.
Result<void> checkElectionOptions(const ElectionOptions& options);

/// Who leads, decided by one Lease object: a pure state machine. One round is: renewal(), and write
/// what it says; where it says nothing, or the write met a conflict, read the lease, observe(), and
/// write what that says. wrote() after each write. Then wait for nextRound().
///
/// Time is this process's monotonic clock only: another holder's lease is over when its record was
/// not seen to change for its duration, whatever its timestamps say. Our own is over
/// `renew_deadline` after the last successful write was *sent*, which is before anybody can have
/// seen it; so we stop before another one starts, as far as clocks run equally fast.
class LeaderElection {
 public:
  enum class State {
    kFollower,
    kLeader,
    kLost,  // for good: the process has to end
  };

  /// What the API server said about the lease.
  struct Seen {
    std::optional<kube::LeaseRecord> record;  // nothing, without a failure: there is none
    bool failed = false;
  };

  /// What to send; to create when nothing was there.
  struct Write {
    kube::LeaseRecord record;
    bool create = false;
  };

  enum class Written { kDone, kConflict, kFailed };

  explicit LeaderElection(ElectionOptions options) : options_(std::move(options)) {}

  /// A leader whose last write was answered knows the lease's version, and need not read it.
  std::optional<Write> renewal(TimePoint now, WallTime wall);
  /// `now` and `wall`: at this very moment, after the answer.
  std::optional<Write> observe(const Seen& seen, TimePoint now, WallTime wall);
  /// `sent`: when the write was about to be sent; `stored`: as it stands then, meant only if it was
  /// done.
  void wrote(Written result, const kube::LeaseRecord& stored, TimePoint sent, TimePoint now);
  /// Notices that our lease is over; to be called before anything is done in a leader's name.
  void tick(TimePoint now);

  State state() const { return state_; }
  /// Until when a leader may write; meaningless otherwise.
  TimePoint leaderUntil() const { return renewed_ + options_.renew_deadline; }
  /// Why the lease was lost.
  const std::string& loss() const { return loss_; }
  /// The other holder; empty: none known.
  const std::string& holder() const { return seen_.holder; }

  /// How long to wait for the next round; `random` in [0, 1) spreads those who wait for their turn.
  Duration nextRound(TimePoint now, double random) const;

  /// What a leader leaves behind when it ends in order: a lease that nobody has to wait for.
  std::optional<kube::LeaseRecord> release(WallTime wall) const;

 private:
  Write claim(const std::optional<kube::LeaseRecord>& seen, WallTime wall) const;
  void notice(const kube::LeaseRecord& record, TimePoint now);
  bool isOver(TimePoint now) const;
  TimePoint othersEnd() const;
  void lose(std::string why);

  const ElectionOptions options_;
  State state_ = State::kFollower;
  kube::LeaseRecord seen_;   // the newest
  bool has_seen_ = false;    // a record at all
  bool is_current_ = false;  // seen_ is what our last write left behind
  TimePoint changed_{};      // when seen_ was first seen
  TimePoint renewed_{};      // when our last successful write was sent
  std::string loss_;
};

}  // namespace sumac::control
