#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "base/log/log.h"
#include "operator/control/blocking_queue.h"
#include "operator/control/operator_metrics.h"
#include "operator/control/reconciler.h"

namespace sumac::control {

/// Takes keys from the queue on several threads and reconciles them, never one key on two threads
/// at once. Runs only in the leader: until start(), keys only collect in the queue.
class Controller {
 public:
  /// All references outlive the controller.
  Controller(BlockingQueue& queue, Reconciler& reconciler, OperatorMetrics& metrics,
             const Clock& clock, const Log& log);
  ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Called at most once. After stop() it does nothing.
  void start(int workers);
  /// Waits for running passes; those that check their stop token end early.
  void stop();

  /// How long the oldest running pass has been running; zero if none is. For the liveness probe.
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

  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_ SUMAC_GUARDED_BY(mutex_);
  bool is_stopped_ SUMAC_GUARDED_BY(mutex_) = false;
};

}  // namespace sumac::control
