#pragma once

namespace sumac {

/// What a process's exit status says to whoever started it; the operator's restart policy reads it.
/// The table stands in docs/exit-codes.md; a test compares the two.
enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,             // for good: loss not finite, bad data, disk full
  kUsage = 2,              // unusable command line
  kLostPeers = 75,         // another member is gone; a restart from the checkpoint goes on
  kBadConfiguration = 78,  // the job document cannot be run
  kInterrupted = 130,      // Ctrl-C at a terminal, `sumac` only
  kBrokenInvariant = 134,  // a bug of ours
  kStopped = 143,          // asked to stop by SIGTERM
};

constexpr int toInt(ExitCode code) {
  return static_cast<int>(code);
}

}  // namespace sumac
