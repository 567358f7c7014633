#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/slot.h"
#include "exchange/link/link.h"

namespace sumac::link {

/// The name that a connecting socket gives itself. A restarted process has another incarnation, so
/// it never receives messages for its predecessor.
struct RoutingId {
  std::uint64_t job = 0;
  Member member;
  Lane lane = Lane::kControl;

  Peer peer() const { return {member.slot, lane}; }
  bool operator==(const RoutingId&) const = default;
};

/// 24 bytes; the first is not zero, as ZeroMQ requires.
std::string encode(const RoutingId& id);

/// Nothing for bytes that encode() did not make.
std::optional<RoutingId> decodeRoutingId(std::string_view bytes);

}  // namespace sumac::link
