#pragma once

namespace sumac {

/// The exit status of our programs; the operator's restart policy reads it. docs/exit-codes.md has
/// the same table; a test compares the two.
enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,             // for good: loss not finite, bad data
  kUsage = 2,              // invalid command line
  kResourceFailed = 74,    // storage or memory of the machine failed; may work later or elsewhere
  kLostPeers = 75,         // another member is gone; restart from the checkpoint
  kBadConfiguration = 78,  // the job document cannot be run
  kInterrupted = 130,      // Ctrl-C at a terminal, `sumac` only
  kBrokenInvariant = 134,  // a bug in Sumac
  kStopped = 143,          // asked to stop by SIGTERM
};

constexpr int toInt(ExitCode code) {
  return static_cast<int>(code);
}

}  // namespace sumac
