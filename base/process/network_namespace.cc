#include "base/process/network_namespace.h"

#include <cerrno>
#include <cstring>
#include <sched.h>
#include <string>
#include <thread>

#include <fcntl.h>

namespace sumac {
namespace {

/// That of the calling thread.
Descriptor currentNamespace() {
  return Descriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

Error cannotMake(int number) {
  std::string message = std::string("cannot make a network namespace: ") + std::strerror(number);
  if (number == EPERM) message += "; it takes root";
  if (number == EINVAL || number == ENOSYS) message += "; this kernel has none";
  if (number == ENOSPC) message += "; sysctl user.max_net_namespaces allows no more";
  return {ErrorCode::kUnavailable, message};
}

}  // namespace

Result<Descriptor> makeNetworkNamespace() {
  Descriptor made;
  int number = 0;
  // On a thread of its own, which stays there and ends: returning takes rights over the namespace
  // that we are in, which who is root in a user namespace alone does not have.
  std::thread([&made, &number] {
    if (::unshare(CLONE_NEWNET) == 0) made = currentNamespace();
    if (!made) number = errno;
  }).join();
  if (!made) return cannotMake(number);
  return made;
}

}  // namespace sumac
