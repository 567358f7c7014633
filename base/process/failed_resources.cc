#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/process/memory_end.h"
#include "base/process/process_end.h"

namespace sumac {
namespace {

/// As the root of each thread would.
[[noreturn]] void endByUncaught() {
  const auto rethrow = [] {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      endWithoutMemory();  // the text of another end could not be had either
    }
  };
  const auto end = std::current_exception() ? endOfException(rethrow) : std::nullopt;
  if (end) std::fprintf(stderr, "error: %s\n", end->reason.c_str());
  if (end && end->code == ExitCode::kResourceFailed) std::_Exit(toInt(end->code));
  if (end) errno = 0;  // this abort is not for memory
  std::abort();
}

}  // namespace

void reportFailedResources() {
  std::signal(SIGXFSZ, SIG_IGN);
  prepareMemoryEnd("not enough memory", {});
  catchAbortsForMemory();
  std::set_terminate(endByUncaught);
}

}  // namespace sumac
