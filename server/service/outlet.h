#pragma once

#include <string>
#include <string_view>

namespace sumac::server {

/// A file descriptor that lines are written to for whoever started the process. Never blocks and
/// never fails the process: a reader who is gone or does not read loses lines. Does not own the
/// descriptor.
class Outlet {
 public:
  /// -1 for nobody. SIGPIPE must be ignored.
  explicit Outlet(int fd);

  /// Returns whether the whole line was taken.
  bool writeLine(std::string_view line);

 private:
  int fd_;
};

}  // namespace sumac::server
