#include "worker/train/processors.h"

#include <algorithm>
#include <charconv>
#include <sched.h>
#include <sstream>
#include <thread>

#include "common/base/file.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFile = 64UL * 1024;

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr == text.data()) return std::nullopt;
  return value;
}

std::optional<double> ratio(std::optional<double> quota, std::optional<double> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<double> quotaOf(const fs::path& folder) {
  if (const auto text = readTextFile(folder / "cpu.max", kMaxFile)) return quotaFromCpuMax(*text);
  const auto quota = readTextFile(folder / "cpu.cfs_quota_us", kMaxFile);
  const auto period = readTextFile(folder / "cpu.cfs_period_us", kMaxFile);
  if (!quota || !period) return std::nullopt;
  return ratio(number(*quota), number(*period));
}

/// The quota of a group and of all groups that it is in.
std::optional<double> leastQuota(const fs::path& mount, fs::path group) {
  std::optional<double> least;
  while (true) {
    if (const auto quota = quotaOf(mount / group); quota && (!least || *quota < *least)) {
      least = quota;
    }
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

int usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

std::optional<double> quotaFromCpuMax(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return ratio(number(text.substr(0, space)), number(text.substr(space + 1)));
}

std::optional<double> processorQuota(const fs::path& root) {
  const auto groups = readTextFile(root / "proc/self/cgroup", kMaxFile);
  if (!groups) return std::nullopt;
  std::istringstream lines(*groups);  // "0::/path" or "4:cpu,cpuacct:/path"
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    const bool cpu = ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (!unified && !cpu) continue;
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    const fs::path mount = root / "sys/fs/cgroup" / (unified ? "" : "cpu");
    if (const auto quota = leastQuota(mount, group)) return quota;
  }
  return std::nullopt;
}

std::string threadsWarning(int threads, int cores, std::optional<double> quota) {
  const std::string asked = "spec.training.threads is " + std::to_string(threads);
  if (quota && threads > *quota) {
    std::ostringstream text;
    text << asked << ", but the CPU limit lets this worker use " << *quota
         << " processors: threads will be stopped in turns";
    return text.str();
  }
  if (threads > cores) {
    return asked + ", but this worker can use " + std::to_string(cores) +
           " cores: threads will wait for each other";
  }
  return {};
}

std::string threadsWarning(int threads) {
  return threadsWarning(threads, usableCores(), processorQuota("/"));
}

}  // namespace sumac::worker
