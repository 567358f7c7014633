#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "base/core/clock.h"
#include "base/core/rng.h"
#include "base/core/wall_time.h"
#include "base/log/log.h"
#include "base/telemetry/pulse.h"
#include "kube/client/lease.h"
#include "operator/control/leader_election.h"
#include "operator/control/write_gate.h"

namespace sumac::control {

/// What LeaseRunner works with; all of it outlives the runner.
struct LeaseRunnerParts {
  kube::LeaseClient& client;  // with a time limit of at most half the renew deadline
  WriteGate& gate;
  const Clock& clock;
  const WallClock& wall;
};

/// Called on the runner's thread, each at most once, and `on_lost` only after `on_leading`.
struct LeaseRunnerCalls {
  std::function<void()> on_leading;
  std::function<void(const std::string& why)> on_lost;
};

/// Takes part in the election on its own thread, and opens and closes the write gate accordingly.
class LeaseRunner {
 public:
  /// `seed`: for random waits that differ from those of other processes.
  LeaseRunner(LeaseRunnerParts parts, ElectionOptions options, LeaseRunnerCalls calls,
              std::uint64_t seed, const Log& log);
  /// Does not release the lease: the next leader has to wait until it expires.
  ~LeaseRunner() = default;
  LeaseRunner(const LeaseRunner&) = delete;
  LeaseRunner& operator=(const LeaseRunner&) = delete;

  /// Ends the thread, closes the gate and, if we led, releases the lease. Requires that all writes
  /// of the leader have ended.
  void release();

  bool isLeader() const { return is_leader_.load(std::memory_order_relaxed); }
  Duration silence(TimePoint now) const { return pulse_.silence(now); }

 private:
  void run(const std::stop_token& stop);
  void round(const std::stop_token& stop);
  LeaderElection::Written write(const LeaderElection::Write& write);
  void publish();

  const LeaseRunnerParts parts_;
  const LeaseRunnerCalls calls_;
  const Log log_;
  const Rng rng_;
  Pulse pulse_;
  std::atomic<bool> is_leader_ = false;

  // Owned by the thread; by release() after its end.
  LeaderElection election_;
  std::string last_holder_;
  std::uint64_t rounds_ = 0;

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace sumac::control
