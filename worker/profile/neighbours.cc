#include "worker/profile/neighbours.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "base/process/process_end.h"

namespace sumac::worker {

Neighbours::Neighbours(int count, const Work& work) : awaited_(count) {
  threads_.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    threads_.emplace_back([this, work](const std::stop_token& stop) { live(work, stop); });
}

Neighbours::~Neighbours() {
  // All at once: each jthread would ask its own only when the one before it has ended.
  for (std::jthread& thread : threads_)
    thread.request_stop();
}

void Neighbours::live(const Work& work, const std::stop_token& stop) {
  bool is_computing = false;
  const auto onPass = [&] {
    if (is_computing) return;
    is_computing = true;
    const MutexLock lock(mutex_);
    --awaited_;
    ++computing_;
    changed_.notifyAll();
  };
  // Nobody needs the reason: the worker that is measured does the same, and says what is wrong.
  static_cast<void>(endOfException([&] { work(onPass, stop); }));
  const MutexLock lock(mutex_);
  --(is_computing ? computing_ : awaited_);
  changed_.notifyAll();
}

int Neighbours::awaitFirstPasses(Duration limit) {
  const TimePoint end = SystemClock().now() + limit;
  MutexLock lock(mutex_);
  while (awaited_ > 0) {
    if (SystemClock().now() >= end) return 0;
    changed_.waitUntil(lock, {}, end);
  }
  return computing_;
}

int neighboursFor(int cores, int threads, std::uint64_t bytes_each, std::uint64_t bytes_left) {
  constexpr std::uint64_t kKeptFree = 8;  // one of so many parts
  const auto wanted = static_cast<std::uint64_t>(std::max(0, cores / threads - 1));
  const std::uint64_t room = bytes_left - bytes_left / kKeptFree;
  return static_cast<int>(std::min(wanted, room / std::max<std::uint64_t>(1, bytes_each)));
}

std::optional<std::uint64_t> availableMemory(std::string_view meminfo) {
  constexpr std::string_view kName = "MemAvailable:";
  constexpr std::uint64_t kUnit = 1024;  // "kB" there
  const auto at = meminfo.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  meminfo.remove_prefix(at + kName.size());
  meminfo.remove_prefix(std::min(meminfo.find_first_not_of(' '), meminfo.size()));
  std::uint64_t kibibytes = 0;
  const auto read = std::from_chars(meminfo.data(), meminfo.data() + meminfo.size(), kibibytes);
  if (read.ec != std::errc() || kibibytes > UINT64_MAX / kUnit) return std::nullopt;
  return kibibytes * kUnit;
}

}  // namespace sumac::worker
