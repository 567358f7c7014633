#pragma once

#include <optional>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/wall_time.h"
#include "kube/client/lease.h"

namespace sumac::control {

struct ElectionOptions {
  std::string identity;  // unique to this process: host name and random bits
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
};

/// Fails with kInvalid, naming the rule, unless the periods give a leader time to notice that it
/// lost the lease before another process takes over.
Result<void> checkElectionOptions(const ElectionOptions& options);

/// Leader election by one Lease object, as a pure state machine. One round: call renewal() and
/// write the lease it returns. If it returns nothing, or the write ended in a conflict, read the
/// lease, call observe(), and write the lease it returns. Call wrote() after each write. Then wait
/// for nextRound().
///
/// Only this process's monotonic clock counts. Another holder's lease has expired when its record
/// has not changed for its duration; its timestamps are ignored. Our own expires `renew_deadline`
/// after the last successful write was *sent*, which is before anybody can have seen it. So we stop
/// before another leader starts, provided that the clocks run equally fast.
class LeaderElection {
 public:
  enum class State {
    kFollower,
    kLeader,
    kLost,  // final: the process has to end
  };

  /// The API server's answer about the lease.
  struct Seen {
    std::optional<kube::LeaseRecord> record;  // empty without a failure: there is no lease
    bool failed = false;
  };

  /// What to write; `create`: there is no lease yet.
  struct Write {
    kube::LeaseRecord record;
    bool create = false;
  };

  enum class Written { kDone, kConflict, kFailed };

  explicit LeaderElection(ElectionOptions options) : options_(std::move(options)) {}

  /// The write of a leader that knows the lease's version from its last write, so it need not read
  /// the lease. Empty for all others.
  std::optional<Write> renewal(TimePoint now, WallTime wall);
  /// `now` and `wall`: taken after the answer arrived.
  std::optional<Write> observe(const Seen& seen, TimePoint now, WallTime wall);
  /// `sent`: taken before the write was sent. `stored`: the lease after the write, used only with
  /// kDone.
  void wrote(Written result, const kube::LeaseRecord& stored, TimePoint sent, TimePoint now);
  /// Notices that our lease has expired; call it before acting as the leader.
  void tick(TimePoint now);

  State state() const { return state_; }
  /// How long a leader may write; meaningless for others.
  TimePoint leaderUntil() const { return renewed_ + options_.renew_deadline; }
  /// Why the lease was lost.
  const std::string& loss() const { return loss_; }
  /// The current holder; empty: unknown.
  const std::string& holder() const { return seen_.holder; }

  /// How long to wait until the next round; `random` in [0, 1) spreads the waits of followers.
  Duration nextRound(TimePoint now, double random) const;

  /// The lease that a leader writes when it exits normally, so that the next one need not wait.
  /// Empty for a process that does not lead.
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
