#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "exchange/wire/rejection.h"

namespace sumac::link {

/// Counters of the data lanes to the processes of one other slot. A value type.
struct PeerStatistics {
  Slot peer;
  std::uint64_t bytes_sent = 0;  // headers and payloads; what was sent again counts again
  std::uint64_t bytes_received = 0;
  Duration credit_stall{};     // time in which something for it waited for credit
  std::uint64_t reopened = 0;  // connections given up for another
  std::uint64_t queued = 0;    // messages that it has not acknowledged, now

  void add(const PeerStatistics& other);
};

/// Counters of a link since its start. A value type.
struct Statistics {
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;  // header and payload
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped = 0;     // sent to a peer without a connection
  std::uint64_t gaps = 0;        // messages of a lane that were missing
  std::uint64_t resent = 0;      // messages of a lane that were sent again
  std::uint64_t reopened = 0;    // connections given up for another after something was lost
  std::uint64_t reconnects = 0;  // connections of ours that came up again
  std::uint64_t strangers = 0;   // connections rejected for a missing key, or given up
  std::array<std::uint64_t, wire::kRejections> rejected{};
  std::vector<PeerStatistics> peers = {};  // of data lanes, by slot

  std::uint64_t rejectedFor(wire::Rejection reason) const;
  void reject(wire::Rejection reason);
};

}  // namespace sumac::link
