#pragma once

#include <array>
#include <cstdint>

#include "common/wire/rejection.h"

namespace sumac::link {

/// What a link counted since its start. A value type.
struct Statistics {
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;  // header and payload
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped = 0;     // sent to a peer without a connection
  std::uint64_t gaps = 0;        // times that a sequence number was not the one expected
  std::uint64_t reconnects = 0;  // connections of ours that stood again
  std::uint64_t strangers = 0;   // connections refused for want of a key, or that came to nothing
  std::array<std::uint64_t, wire::kRejections> rejected{};

  std::uint64_t rejectedFor(wire::Rejection reason) const;
  void reject(wire::Rejection reason);
};

}  // namespace sumac::link
