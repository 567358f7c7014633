#include "base/process/resource_limits.h"

#include <string>

#include <sys/resource.h>

namespace sumac {

void allowMostOpenFiles() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // where it may not, connections that fail say so
}

Result<void> requireOpenFiles(std::int64_t count, const std::string& who) {
  rlimit limit{};
  const auto needed = static_cast<rlim_t>(count);
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= needed) return {};
  return Error{ErrorCode::kUnavailable,
               who + " opens up to " + std::to_string(count) + " files, the limit is " +
                   std::to_string(limit.rlim_max) + "; raise it (`ulimit -Hn " +
                   std::to_string(count) + "` as root, or in a new shell), or use fewer workers"};
}

}  // namespace sumac
