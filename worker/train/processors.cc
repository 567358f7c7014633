#include "worker/train/processors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>

#include "common/base/check.h"
#include "common/base/file.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFile = 64UL * 1024;
constexpr int kMaxThreads = 1024;  // as the field table says

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

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// The smallest quota of a group and of all groups that it is in. Where the mount shows less of the
/// tree than /proc/self/cgroup names, as in a container, the missing folders count as no limit.
std::optional<double> smallestQuota(const fs::path& mount, fs::path group) {
  std::optional<double> smallest;
  while (true) {
    smallest = smaller(smallest, quotaOf(mount / group));
    if (group.empty()) return smallest;
    group = group.parent_path();
  }
}

/// "/pods/one" as a path below a mount; a group outside our namespace ("/../x") is its root.
fs::path groupBelow(std::string_view name) {
  fs::path group = fs::path(name).relative_path().lexically_normal();
  const bool is_outside = !group.empty() && *group.begin() == "..";
  return is_outside || group == "." ? fs::path() : group;
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
  std::optional<double> smallest;
  std::istringstream lines(*groups);  // "0::/path" or "4:cpu,cpuacct:/path"
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    const bool cpu = ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (!unified && !cpu) continue;
    const fs::path group = groupBelow(std::string_view(line).substr(second + 1));
    const fs::path mounts = root / "sys/fs/cgroup";
    smallest = smaller(smallest, smallestQuota(mounts / (unified ? "" : "cpu"), group));
    // Where there is no link `cpu`, version 1 is mounted under all its controllers' names.
    if (!unified) smallest = smaller(smallest, smallestQuota(mounts / controllers, group));
  }
  return smallest;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

Processors usableProcessors() {
  return {usableCores(), processorQuota("/")};
}

int automaticThreads(const Processors& processors, int workers) {
  SUMAC_CHECK(workers >= 1, workers);
  const double cores = processors.cores;
  const double whole = std::floor(std::min(cores, processors.quota.value_or(cores)));
  return std::clamp(static_cast<int>(whole) / workers, 1, kMaxThreads);
}

std::string threadsWarning(int threads, const Processors& processors) {
  const auto& [cores, quota] = processors;
  const std::string asked = "spec.training.threads is " + std::to_string(threads);
  if (quota && threads > *quota) {
    std::ostringstream text;
    text << asked << ", but the CPU limit lets this worker use " << *quota
         << " CPUs: the kernel will pause its threads in turns";
    return text.str();
  }
  if (threads > cores) {
    return asked + ", but this worker can use " + std::to_string(cores) +
           " cores: its threads will wait for each other";
  }
  return {};
}

}  // namespace sumac::worker
