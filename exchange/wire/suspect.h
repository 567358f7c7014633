#pragma once

#include <optional>

#include "base/core/slot.h"
#include "exchange/wire/header.h"

namespace sumac::wire {

/// Makes a kSuspect name the member that cannot be reached.
inline void setSuspect(Header& header, Slot suspect) {
  header.first = suspect.role == Role::kWorker ? 1 : 0;
  header.value = static_cast<std::uint64_t>(suspect.index);
}

/// The member that a kSuspect names; none: not a valid one.
inline std::optional<Slot> suspectOf(const Header& header) {
  if (header.first > 1 || header.value > static_cast<std::uint64_t>(kLargestIndex)) return {};
  return Slot{header.first == 1 ? Role::kWorker : Role::kServer, static_cast<int>(header.value)};
}

}  // namespace sumac::wire
