#include "cli/experiment/machine.h"

#include <utility>

#include <sys/utsname.h>

#include "cli/models/worker_memory.h"
#include "common/base/version.h"
#include "common/process/processor.h"

namespace sumac::cli {
experiment::Origin thisMachine(std::string command) {
  experiment::Origin origin;
  origin.version = kVersion;
  origin.command = std::move(command);
  origin.cpu = processorName();
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
