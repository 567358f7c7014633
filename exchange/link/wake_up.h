#pragma once

#include <cerrno>
#include <system_error>

#include <sys/eventfd.h>
#include <unistd.h>

namespace sumac::link {

/// An eventfd: one thread polls it, any thread may raise it.
class WakeUp {
 public:
  WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  ~WakeUp() { ::close(fd_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  int fd() const { return fd_; }
  void raise() const {
    // Fails only when the counter is full, and then it is raised already.
    [[maybe_unused]] const int failed = ::eventfd_write(fd_, 1);
  }
  void lower() const {
    eventfd_t count = 0;
    [[maybe_unused]] const int failed = ::eventfd_read(fd_, &count);
  }

 private:
  int fd_;
};

}  // namespace sumac::link
