#include "cli/experiment/machine.h"

#include <fstream>
#include <sched.h>
#include <utility>

#include <sys/utsname.h>

#include "cli/models/worker_memory.h"
#include "common/base/version.h"

namespace sumac::cli {
namespace {

std::string processorModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

int usableCores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

experiment::Origin thisMachine(std::string command) {
  experiment::Origin origin;
  origin.version = kVersion;
  origin.command = std::move(command);
  origin.cpu = processorModel();
  origin.cores = usableCores();
  origin.memory_bytes = machineMemory();
  utsname names{};
  if (::uname(&names) == 0) {
    origin.host = names.nodename;
    origin.kernel = std::string(names.sysname) + " " + names.release;
  }
  return origin;
}

}  // namespace sumac::cli
