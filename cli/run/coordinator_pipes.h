#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/process/spawn.h"
#include "cli/run/line_reader.h"

namespace sumac::cli {

/// What the coordinator's process writes to us: where it listens, and what the job says of itself.
/// Each of its processes has pipes of its own. Reading never waits, and what comes is not trusted.
class CoordinatorPipes {
 public:
  /// For the next process. Drops what was not taken of the one before.
  Result<void> open();

  /// The ends that the process is started with.
  int readyEnd() const { return ready_.write.get(); }
  int progressEnd() const { return progress_.write.get(); }
  /// The process is started: closes our copies of its ends, which would keep the pipes open after
  /// its end.
  void handOver();

  /// The descriptors to poll; -1: none.
  int ready() const { return ready_.read.get(); }
  int progress() const { return progress_.read.get(); }

  /// Where it listens, if that came since the last call.
  std::optional<std::string> takeEndpoint();
  /// The lines that came since the last call; bounded, so call again.
  std::vector<std::string> takeLines();

 private:
  static constexpr std::size_t kMaxEndpoint = 256;
  static constexpr std::size_t kMaxProgressLine = 65'536;

  Pipe ready_;
  Pipe progress_;
  LineReader ready_lines_{kMaxEndpoint};
  LineReader progress_lines_{kMaxProgressLine};
};

}  // namespace sumac::cli
