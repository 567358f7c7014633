#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "common/base/clock.h"
#include "common/base/rng.h"
#include "common/base/wall_time.h"
#include "common/kube/lease.h"
#include "common/log/log.h"
#include "common/telemetry/pulse.h"
#include "operator/control/leader_election.h"
#include "operator/control/write_gate.h"

namespace sumac::control {

/// What lease_runner needs of the world; all outlive it.
struct LeaseRunnerParts {
  kube::LeaseClient& client;  // with a time limit of at most half the renew deadline
  WriteGate& gate;
  const Clock& clock;
  const WallClock& wall;
};

/// What is told of the election, on the runner's thread; each at most once, and `onLost` only after
/// `onLeading`.
struct LeaseRunnerCalls {
  std::function<void()> on_leading;
  std::function<void(const std::string& why)> on_lost;
};

/// Takes part in the election on a thread of its own and keeps the write gate as it says.
class LeaseRunner {
 public:
  /// `seed`: makes this process's waits differ from others'.
  LeaseRunner(LeaseRunnerParts parts, ElectionOptions options, LeaseRunnerCalls calls,
              std::uint64_t seed, const Log& log);
  /// Ends without releasing: whoever waits, waits for the lease's duration.
  ~LeaseRunner() = default;
  LeaseRunner(const LeaseRunner&) = delete;
  LeaseRunner& operator=(const LeaseRunner&) = delete;

  /// Ends the thread, shuts the gate and, if we led, frees the lease for the next. Requires that
  /// nothing more is written in the leader's name.
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

  // Of the thread; after its end of release().
  LeaderElection election_;
  std::string last_holder_;
  std::uint64_t rounds_ = 0;

  std::mutex mutex_;  // for never_ only
  std::condition_variable_any never_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace sumac::control
