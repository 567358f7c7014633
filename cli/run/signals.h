#pragma once

#include <csignal>

#include "base/core/descriptor.h"

namespace sumac::cli {

/// SIGINT, SIGTERM, SIGHUP and SIGCHLD as a file descriptor, blocked for as long as this lives; not
/// SIGHUP where it was ignored, as under nohup. The old mask comes back at the end.
///
/// Owned by the only thread of the process.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Invalid where the system could not make one.
  const Descriptor& descriptor() const { return fd_; }

  /// The next pending signal; 0 when there is none.
  int next() const;

 private:
  sigset_t before_{};
  Descriptor fd_;
};

}  // namespace sumac::cli
