#include "engine/nn/compute_pool.h"

#include <algorithm>
#include <string>

#include <pthread.h>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

constexpr std::uint64_t kTakenBits = 32;
constexpr std::uint64_t kTakenMask = (std::uint64_t{1} << kTakenBits) - 1;
constexpr std::size_t kMaxTasks = kTakenMask;  // of one round

// About 10 us: layers follow each other faster than that, and a sleeper takes longer to wake.
constexpr int kSpins = 1000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `is_there`, first awake, then asleep on `on` as long as that stays as it was.
template <typename Condition>
void await(const std::atomic<std::uint32_t>& on, const Condition& is_there) {
  for (int i = 0; i < kSpins; ++i) {
    if (is_there()) return;
    pause();
  }
  for (;;) {
    const std::uint32_t seen = on.load(std::memory_order_acquire);
    if (is_there()) return;
    on.wait(seen, std::memory_order_acquire);
  }
}

}  // namespace

ComputePool::ComputePool(int threads) {
  SUMAC_CHECK(threads >= 1, threads);
  helpers_.reserve(static_cast<std::size_t>(threads) - 1);
  for (int i = 1; i < threads; ++i) {
    helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
    const std::string name = "compute-" + std::to_string(i);
    pthread_setname_np(helpers_.back().native_handle(), name.substr(0, 15).c_str());
  }
}

ComputePool::~ComputePool() {
  for (std::jthread& helper : helpers_)
    helper.request_stop();
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void ComputePool::share(std::size_t tasks, Call call, const void* work) {
  call_ = call;
  work_ = work;
  for (std::size_t first = 0; first < tasks; first += kMaxTasks) {
    const std::size_t count = std::min(tasks - first, kMaxTasks);
    first_task_ = first;
    done_.store(0, std::memory_order_relaxed);
    open_.store(std::uint64_t{count} << kTakenBits, std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    while (takeTask()) {
    }
    await(done_, [&] { return done_.load(std::memory_order_acquire) == count; });
  }
}

bool ComputePool::takeTask() {
  std::uint64_t open = open_.load(std::memory_order_relaxed);
  do {
    if ((open & kTakenMask) == open >> kTakenBits) return false;
  } while (!open_.compare_exchange_weak(open, open + 1, std::memory_order_acquire,
                                        std::memory_order_relaxed));
  call_(work_, first_task_ + (open & kTakenMask));
  // The caller may return as soon as it sees this; it touches nothing before all tasks are done.
  if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == open >> kTakenBits) done_.notify_one();
  return true;
}

void ComputePool::help(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    while (takeTask()) {
    }
    const auto something = [&] {
      const std::uint64_t open = open_.load(std::memory_order_relaxed);
      return (open & kTakenMask) != open >> kTakenBits || stop.stop_requested();
    };
    await(round_, something);
  }
}

}  // namespace sumac::worker
