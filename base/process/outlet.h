#pragma once

#include <string>
#include <string_view>

namespace sumac {

/// Writes lines to a file descriptor for the program that started us. Never blocks and never fails:
/// a reader that has ended or does not read loses lines. Does not own the descriptor.
class Outlet {
 public:
  /// -1: writes nothing. Requires that SIGPIPE is ignored.
  explicit Outlet(int fd);

  /// Returns whether the whole line was written.
  bool writeLine(std::string_view line);

 private:
  int fd_;
};

}  // namespace sumac
