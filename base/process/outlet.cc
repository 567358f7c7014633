#include "base/process/outlet.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace sumac {

Outlet::Outlet(int fd) : fd_(fd) {
  if (fd_ < 0) return;
  const int flags = ::fcntl(fd_, F_GETFL);
  if (flags >= 0) ::fcntl(fd_, F_SETFL, flags | O_NONBLOCK);
}

bool Outlet::writeLine(std::string_view line) {
  if (fd_ < 0) return false;
  const std::string text = std::string(line) + "\n";
  ssize_t written = 0;
  do {
    written = ::write(fd_, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0 && errno != EAGAIN) fd_ = -1;  // the reader is gone
  return written == static_cast<ssize_t>(text.size());
}

}  // namespace sumac
