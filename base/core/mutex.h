#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/core/clock.h"

// A mutex that Clang's thread-safety analysis understands: with -Wthread-safety it reports each
// access to a member marked SUMAC_GUARDED_BY(mutex_) without the lock. The annotations stand on
// wrappers because libstdc++'s own classes have none. Other compilers see plain std::mutex.
//
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html

#if defined(__clang__)
#define SUMAC_THREAD_ANNOTATION(annotation) __attribute__((annotation))
#else
#define SUMAC_THREAD_ANNOTATION(annotation)
#endif

/// On a data member: it may be used only while `mutex` is locked.
#define SUMAC_GUARDED_BY(mutex) SUMAC_THREAD_ANNOTATION(guarded_by(mutex))
/// On a function: the caller must have locked `mutex`.
#define SUMAC_REQUIRES(mutex) SUMAC_THREAD_ANNOTATION(requires_capability(mutex))

namespace sumac {

/// Locked by a MutexLock only.
class SUMAC_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Locks a mutex in its scope. May be unlocked for a while inside it.
class SUMAC_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SUMAC_THREAD_ANNOTATION(acquire_capability(mutex))
      : lock_(mutex.mutex_) {}
  ~MutexLock() SUMAC_THREAD_ANNOTATION(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() SUMAC_THREAD_ANNOTATION(release_capability()) { lock_.unlock(); }
  void lock() SUMAC_THREAD_ANNOTATION(acquire_capability()) { lock_.lock(); }

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

/// A condition variable for a Mutex. Every wait releases the lock, may return without a cause, and
/// holds the lock again when it returns: call it in a loop that checks the state. There is no form
/// with a predicate, because the analysis cannot see that a predicate runs with the lock held.
class Condition {
 private:
  /// The standard's waits that a stop ends exist only with a predicate. This one lets the thread
  /// wait once, and ends the wait at the first notification.
  struct OneWait {
    bool has_waited = false;
    bool operator()() { return std::exchange(has_waited, true); }
  };

 public:
  void notifyOne() { changed_.notify_one(); }
  void notifyAll() { changed_.notify_all(); }

  void wait(MutexLock& lock) { changed_.wait(lock.lock_); }
  /// Also returns when stop is requested.
  void wait(MutexLock& lock, const std::stop_token& stop) {
    changed_.wait(lock.lock_, stop, OneWait());
  }
  /// Also returns when stop is requested, or at `end`.
  void waitUntil(MutexLock& lock, const std::stop_token& stop, TimePoint end) {
    changed_.wait_until(lock.lock_, stop, end, OneWait());
  }
  /// Also returns at `end`, and then says that it did: false.
  bool waitUntil(MutexLock& lock, TimePoint end) {
    if (end != kNever) return changed_.wait_until(lock.lock_, end) == std::cv_status::no_timeout;
    wait(lock);
    return true;
  }
  void waitFor(MutexLock& lock, const std::stop_token& stop, Duration duration) {
    changed_.wait_for(lock.lock_, stop, duration, OneWait());
  }

 private:
  std::condition_variable_any changed_;
};

}  // namespace sumac
