#include "operator/control/controller.h"

#include <algorithm>
#include <exception>

#include "base/core/check.h"

// Threads: the lease thread calls start(), main calls stop(), the thread that answers probes calls
// longestPass(). Workers take only the queue's lock.

namespace sumac::control {

Controller::Controller(BlockingQueue& queue, Reconciler& reconciler, OperatorMetrics& metrics,
                       const Clock& clock, const Log& log)
    : queue_(queue), reconciler_(reconciler), metrics_(metrics), clock_(clock), log_(log) {}

void Controller::start(int workers) {
  const MutexLock lock(mutex_);
  if (is_stopped_) return;
  for (int i = 0; i < workers; ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread =
        std::jthread([this, &worker](const std::stop_token& stop) { work(worker, stop); });
  }
}

void Controller::stop() {
  std::vector<std::jthread> threads;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    for (const auto& worker : workers_) {
      worker->thread.request_stop();
      threads.push_back(std::move(worker->thread));
    }
  }
  threads.clear();  // waits for each
}

Duration Controller::longestPass(TimePoint now) const {
  Duration longest = Duration::zero();
  const MutexLock lock(mutex_);
  for (const auto& worker : workers_) {
    const Duration since(worker->busy_since.load(std::memory_order_relaxed));
    if (since != Duration::zero()) longest = std::max(longest, now.time_since_epoch() - since);
  }
  return longest;
}

void Controller::work(Worker& self, const std::stop_token& stop) {
  while (const auto key = queue_.take(stop)) {
    self.busy_since.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
    pass(*key, stop);
    self.busy_since.store(0, std::memory_order_relaxed);
  }
}

void Controller::pass(const BlockingQueue::Key& key, const std::stop_token& stop) {
  const TimePoint begin = clock_.now();
  PassOutcome outcome = PassOutcome::kDone;
  const PassResult result = reconcileOrCatch(key, stop, outcome);
  metrics_.reconciled(outcome, clock_.now() - begin);
  if (result.failed) {
    queue_.addAfterFailure(key);
  } else {
    queue_.forgetFailures(key);
  }
  if (result.again_after) queue_.addAfter(key, *result.again_after);
  queue_.done(key);
}

/// Catches all exceptions of a pass: a bug that one job triggers must not end the operator of all
/// others. It is logged, and the key is retried after its back-off.
PassResult Controller::reconcileOrCatch(const BlockingQueue::Key& key, const std::stop_token& stop,
                                        PassOutcome& outcome) {
  try {
    const PassResult result = reconciler_.reconcile(key, stop);
    outcome = result.failed ? PassOutcome::kFailed : PassOutcome::kDone;
    return result;
  } catch (const InvariantViolation& violation) {
    log_.error("a pass broke an invariant, please report it",
               {{"object", key.text()}, {"error", violation.what()}});
  } catch (const std::exception& failure) {
    log_.error("a pass ended by an exception", {{"object", key.text()}, {"error", failure.what()}});
  }
  outcome = PassOutcome::kBroken;
  return {.failed = true, .again_after = std::nullopt};
}

}  // namespace sumac::control
