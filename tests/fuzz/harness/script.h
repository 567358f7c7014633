#pragma once

#include <algorithm>

#include "base/core/bytes.h"

namespace sumac::fuzz {

/// Reads an input as small numbers; zeros when nothing is left.
class Script {
 public:
  explicit Script(BytesView bytes) : rest_(bytes) {}

  bool isOver() const { return rest_.empty(); }
  /// From 0 to below `bound`.
  unsigned next(unsigned bound) {
    if (rest_.empty()) return 0;
    const auto value = std::to_integer<unsigned>(rest_.front());
    rest_ = rest_.subspan(1);
    return value % bound;
  }
  /// The next bytes, as many as the byte before them says.
  BytesView bytes() {
    const std::size_t wanted = next(256);
    const std::size_t size = std::min(wanted, rest_.size());
    const BytesView taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

 private:
  BytesView rest_;
};

}  // namespace sumac::fuzz
