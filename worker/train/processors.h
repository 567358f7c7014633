#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sumac::worker {

/// What a process may use of its machine.
struct Processors {
  int cores = 1;                // of its affinity mask
  std::optional<double> quota;  // CPUs of its CPU limit, 1.5 for example; nothing: no limit
};

/// CPUs that a control group may use at once, from its cpu.max ("200000 100000"); nothing when it
/// has no limit or `text` is not one.
std::optional<double> quotaFromCpuMax(std::string_view text);

/// The smallest quota of the control groups that this process is in and of their ancestors, from
/// /proc/self/cgroup and /sys/fs/cgroup below `root` ("/"). Versions 1 and 2; what cannot be read
/// counts as no limit.
std::optional<double> processorQuota(const std::filesystem::path& root);

/// The model name of this machine's processor, from /proc/cpuinfo.
std::string processorName();

/// Those of this process.
Processors usableProcessors();

/// The threads of training.threads `auto` where `workers` share the processors: the whole ones of
/// each worker's share, at least 1, at most what the job document allows. Requires workers >= 1.
int automaticThreads(const Processors& processors, int workers);

/// Why so many compute threads would slow each other down; empty when they would not.
std::string threadsWarning(int threads, const Processors& processors);

}  // namespace sumac::worker
