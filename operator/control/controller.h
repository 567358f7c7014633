#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/log/log.h"
#include "operator/control/blocking_queue.h"
#include "operator/control/metrics.h"
#include "operator/control/reconciler.h"

namespace sumac::control {

/// Takes keys from the queue on a few threads and reconciles them, one key never on two threads.
/// Runs only in a leader: until start() the queue just collects what watchers add.
class Controller {
 public:
  /// All references outlive the controller.
  Controller(BlockingQueue& queue, Reconciler& reconciler, OperatorMetrics& metrics,
             const Clock& clock, const Log& log);
  ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// At most once, and not after stop().
  void start(int workers);
  /// Lets passes that have begun come to their end, early where they look at their stop token.
  void stop();

  /// How long the oldest pass under way has been; zero: none is. For liveness.
  Duration longestPass(TimePoint now) const;

 private:
  struct Worker {
    std::atomic<Duration::rep> busy_since = 0;  // 0: idle
    std::jthread thread;
  };

  void work(Worker& self, const std::stop_token& stop);
  void pass(const BlockingQueue::Key& key, const std::stop_token& stop);
  PassResult reconcileOrCatch(const BlockingQueue::Key& key, const std::stop_token& stop,
                              PassOutcome& outcome);

  BlockingQueue& queue_;
  Reconciler& reconciler_;
  OperatorMetrics& metrics_;
  const Clock& clock_;
  const Log log_;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  // guarded by mutex_
  bool is_stopped_ = false;                       // guarded by mutex_
};

}  // namespace sumac::control
