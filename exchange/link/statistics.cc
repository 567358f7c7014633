#include "exchange/link/statistics.h"

#include <cstddef>

namespace sumac::link {

void PeerStatistics::add(const PeerStatistics& other) {
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  credit_stall += other.credit_stall;
  reopened += other.reopened;
  queued += other.queued;
}

std::uint64_t Statistics::rejectedFor(wire::Rejection reason) const {
  return rejected.at(static_cast<std::size_t>(reason));
}

void Statistics::reject(wire::Rejection reason) {
  ++rejected.at(static_cast<std::size_t>(reason));
}

}  // namespace sumac::link
