#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sumac::worker {

/// The processors that a process may use.
struct Processors {
  int cores = 1;                // of its affinity mask
  std::optional<double> quota;  // its CPU limit, 1.5 for example; absent: no limit
};

/// The CPUs that a control group may use at once, from its cpu.max ("200000 100000"); nothing if it
/// has no limit or `text` has another form.
std::optional<double> quotaFromCpuMax(std::string_view text);

/// The smallest quota of this process's control groups below `root` ("/"), versions 1 and 2. A file
/// that cannot be read counts as no limit.
std::optional<double> processorQuota(const std::filesystem::path& root);

/// The processors that this process may use.
Processors usableProcessors();

/// The number of threads for training.threads `auto` if `workers` share the processors: each
/// worker's share rounded down, at least 1 and at most what the job document allows. Requires
/// workers >= 1.
int automaticThreads(const Processors& processors, int workers);

/// How many cores `threads` compute threads of each of `workers` that share the processors leave
/// for the threads that exchange: the worker's share, rounded down. Requires workers >= 1.
int spareCores(const Processors& processors, int workers, int threads);

/// Whether a thread that waits for a moment may stay awake where `workers` share the processors and
/// each computes with `threads`: every thread has a core, and a CPU limit, if there is one, leaves
/// each worker two more for the threads that exchange. Requires workers >= 1.
bool mayStayAwake(const Processors& processors, int workers, int threads);

/// Why so many compute threads would slow each other down; empty if they would not.
std::string threadsWarning(int threads, const Processors& processors);

}  // namespace sumac::worker
