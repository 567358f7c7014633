#include "common/process/open_files.h"

#include <sys/resource.h>

namespace sumac {

void allowMostOpenFiles() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // where it may not, connections that fail say so
}

}  // namespace sumac
