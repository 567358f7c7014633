#pragma once

#include <chrono>
#include <csignal>
#include <vector>

#include "cli/run/supervisor.h"

namespace sumac::cli::supervisor_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr Slot kServer0{Role::kServer, 0};
inline constexpr Slot kWorker0{Role::kWorker, 0};
inline constexpr Slot kWorker1{Role::kWorker, 1};
inline constexpr Ending kClean{0, 0};
inline constexpr Ending kLost{75, 0};
inline constexpr Ending kKilled{0, SIGKILL};
inline constexpr TimePoint kStart{};

/// One server and two workers, all started.
inline Supervisor starting() {
  Supervisor supervisor(1, 2);
  supervisor.start(kStart);
  supervisor.ready(kStart);
  return supervisor;
}

inline bool starts(const std::vector<Action>& actions, Slot slot) {
  return actions == std::vector<Action>{{Action::Kind::kStart, slot}};
}

inline bool all(const std::vector<Action>& actions, Action::Kind kind, std::size_t count) {
  for (const Action& action : actions) {
    if (action.kind != kind) return false;
  }
  return actions.size() == count;
}

inline bool failedBy(const Supervisor& supervisor, Failure::Kind kind, Slot slot) {
  const auto& failure = supervisor.failure();
  return failure.has_value() && failure->kind == kind && failure->slot == slot;
}

}  // namespace sumac::cli::supervisor_test
