#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sumac::worker {

/// How many processors a control group may use at once, from its cpu.max ("200000 100000"); nothing
/// when it has no limit.
std::optional<double> quotaFromCpuMax(std::string_view text);

/// The least quota of the control groups that a process is in, from /proc/self/cgroup below `root`
/// ("/"), of either version of control groups.
std::optional<double> processorQuota(const std::filesystem::path& root);

/// Why so many compute threads would be in each other's way on this machine; empty when they would
/// not.
std::string threadsWarning(int threads, int cores, std::optional<double> quota);

/// As above, of the machine and the process that we are.
std::string threadsWarning(int threads);

}  // namespace sumac::worker
