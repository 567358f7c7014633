#include "base/process/core_wait.h"

#include <filesystem>
#include <fstream>

namespace sumac {

double secondsWithoutCore() {
  constexpr double kNanoseconds = 1e9;
  double waited = 0;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    // Nanoseconds that it ran, then those that it waited for that.
    std::ifstream file(task.path() / "schedstat");
    double ran = 0;
    double nanoseconds = 0;
    if (file >> ran >> nanoseconds) waited += nanoseconds;
  }
  return waited / kNanoseconds;
}

}  // namespace sumac
