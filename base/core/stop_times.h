#pragma once

#include <chrono>

#include "base/core/clock.h"

namespace sumac {

/// When a stop gives up waiting, counted from the request to stop: a stop ends within 15 s, also
/// when members hang, as a preempted Spot pod must.
struct StopTimes {
  /// The coordinator asks the workers to stop where they are.
  static constexpr Duration kHurry = std::chrono::seconds(8);
  /// It lets a checkpoint be completed without the CRC of workers that do not report one.
  static constexpr Duration kConfirm = std::chrono::seconds(10);
  /// It ends the job, whoever has answered.
  static constexpr Duration kRelease = std::chrono::seconds(12);
  /// How long it waits for goodbyes then.
  static constexpr Duration kFarewell = std::chrono::milliseconds(1'500);
  /// A member that asked to join, and lost its connection before the answer, waits for another to
  /// say that it leaves: less than others take to miss it.
  static constexpr Duration kLastWord = std::chrono::seconds(2);
  /// A member leaves that nobody has released.
  static constexpr Duration kLeave = std::chrono::seconds(13);
  /// A worker's process exits whatever its trainer does.
  static constexpr Duration kExit = std::chrono::seconds(14);
  /// `sumac run` kills what is left.
  static constexpr Duration kKill = std::chrono::milliseconds(14'500);

  static_assert(kHurry < kConfirm && kConfirm < kRelease && kRelease < kLeave && kLeave < kExit &&
                kRelease + kFarewell < kExit && kExit < kKill && kKill < std::chrono::seconds(15));
};

}  // namespace sumac
