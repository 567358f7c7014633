#include "cli/run/loopback.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/core/descriptor.h"

namespace sumac::cli {
namespace {

/// 0 once `connecting` is connected, else the reason as an errno.
int connectionError(const Descriptor& connecting) {
  constexpr int kPatienceMs = 5000;
  pollfd watched{connecting.get(), POLLOUT, 0};
  if (::poll(&watched, 1, kPatienceMs) != 1) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(connecting.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/// 0 if a connection to a port of our own works, else the reason as an errno.
int loopbackError() {
  constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  const Descriptor listening(::socket(AF_INET, kType, 0));
  const Descriptor connecting(::socket(AF_INET, kType, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listening || !connecting || ::bind(listening.get(), any, size) != 0 ||
      ::listen(listening.get(), 1) != 0 || ::getsockname(listening.get(), any, &size) != 0) {
    return errno;
  }
  if (::connect(connecting.get(), any, size) == 0) return 0;
  return errno == EINPROGRESS ? connectionError(connecting) : errno;
}

}  // namespace

Result<void> checkLoopback() {
  const int error = loopbackError();
  if (error == 0) return {};
  return Error{ErrorCode::kUnavailable,
               std::string("cannot connect to 127.0.0.1: ") + std::strerror(error) +
                   "; the processes of a run talk over loopback: is it up (ip link set lo up)?"};
}

}  // namespace sumac::cli
