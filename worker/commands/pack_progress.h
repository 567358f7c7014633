#pragma once

#include <cstdint>
#include <ostream>
#include <string>

namespace sumac::worker {

/// Shows on a terminal how far packing is: one line, which is written over. Shows nothing
/// elsewhere.
class PackProgress {
 public:
  PackProgress(std::ostream& out, bool is_terminal) : out_(out), is_terminal_(is_terminal) {}

  void show(std::uint64_t done, std::uint64_t all) {
    if (!is_terminal_) return;
    out_ << "\rpacking: " << done << " of " << all << " samples (" << 100 * done / all << " %)"
         << std::flush;
    is_begun_ = true;
  }

  void end() {
    if (is_begun_) out_ << '\n';
  }

 private:
  std::ostream& out_;  // outlives us
  bool is_terminal_;
  bool is_begun_ = false;
};

}  // namespace sumac::worker
