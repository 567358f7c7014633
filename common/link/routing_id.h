#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/slot.h"
#include "common/link/link.h"

namespace sumac::link {

/// What a connecting socket calls itself: a restarted process has another incarnation, so it is
/// never sent what was meant for its predecessor.
struct RoutingId {
  std::uint64_t job = 0;
  Member member;
  Lane lane = Lane::kControl;

  Peer peer() const { return {member.slot, lane}; }
  bool operator==(const RoutingId&) const = default;
};

/// 24 bytes, the first of which is not zero, as ZeroMQ wants it.
std::string encode(const RoutingId& id);

/// Nothing when these bytes were not made by encode().
std::optional<RoutingId> decodeRoutingId(std::string_view bytes);

}  // namespace sumac::link
