#include "base/trace/clock_alignment.h"

#include <algorithm>

namespace sumac::trace {

void ClockAlignment::onEcho(TimePoint sent, TimePoint theirs, TimePoint received) {
  const Duration took = received - sent;
  if (took < Duration::zero() || took > kSlowest) return;
  kept_.at(echoes_ % kKept) = {theirs - (sent + took / 2), (took + Duration(1)) / 2, received};
  ++echoes_;
}

std::optional<ClockAlignment::Offset> ClockAlignment::at(TimePoint when) const {
  if (is_reference_) return Offset{};
  std::optional<Offset> best;
  const std::size_t kept = std::min(echoes_, kKept);
  for (std::size_t i = 0; i < kept; ++i) {
    const Echo& echo = kept_.at(i);
    const Duration age = when > echo.at ? when - echo.at : echo.at - when;
    const Duration uncertainty = echo.uncertainty + age / kDriftPart;
    if (!best || uncertainty < best->uncertainty) best = Offset{echo.offset, uncertainty, kept};
  }
  return best;
}

}  // namespace sumac::trace
