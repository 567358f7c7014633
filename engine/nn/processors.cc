#include "engine/nn/processors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/core/check.h"
#include "base/core/file.h"
#include "base/process/control_groups.h"
#include "base/process/processor.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxQuotaFile = 64UL * 1024;
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
  if (const auto text = readTextFile(folder / "cpu.max", kMaxQuotaFile))
    return quotaFromCpuMax(*text);
  const auto quota = readTextFile(folder / "cpu.cfs_quota_us", kMaxQuotaFile);
  const auto period = readTextFile(folder / "cpu.cfs_period_us", kMaxQuotaFile);
  if (!quota || !period) return std::nullopt;
  return ratio(number(*quota), number(*period));
}

/// Whole processors of one worker.
int shareOf(const Processors& processors, int workers) {
  SUMAC_CHECK(workers >= 1, workers);
  const double cores = processors.cores;
  const double whole = std::floor(std::min(cores, processors.quota.value_or(cores)));
  return static_cast<int>(whole) / workers;
}

}  // namespace

std::optional<double> quotaFromCpuMax(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return ratio(number(text.substr(0, space)), number(text.substr(space + 1)));
}

std::optional<double> processorQuota(const fs::path& root) {
  std::optional<double> smallest;
  for (const fs::path& group : controlGroups(root, "cpu")) {
    const auto quota = quotaOf(group);
    if (quota) smallest = std::min(*quota, smallest.value_or(*quota));
  }
  return smallest;
}

Processors usableProcessors() {
  return {usableCores(), processorQuota("/")};
}

int automaticThreads(const Processors& processors, int workers) {
  return std::clamp(shareOf(processors, workers), 1, kMaxThreads);
}

int spareCores(const Processors& processors, int workers, int threads) {
  return std::max(shareOf(processors, workers) - threads, 0);
}

// Without a limit nobody loses what we use while our own compute threads wait.
bool mayStayAwake(const Processors& processors, int workers, int threads) {
  constexpr int kExchanging = 2;  // the reactor and ZeroMQ's thread
  const bool is_crowded = shareOf({processors.cores, std::nullopt}, workers) < threads;
  return !is_crowded &&
         (!processors.quota || shareOf(processors, workers) >= threads + kExchanging);
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
