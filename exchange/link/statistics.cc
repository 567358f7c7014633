#include "exchange/link/statistics.h"

#include <cstddef>

namespace sumac::link {

std::uint64_t Statistics::rejectedFor(wire::Rejection reason) const {
  return rejected.at(static_cast<std::size_t>(reason));
}

void Statistics::reject(wire::Rejection reason) {
  ++rejected.at(static_cast<std::size_t>(reason));
}

}  // namespace sumac::link
