#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace sumac {

/// Values that several may refer to: of a message that came, or of a sum. A value type.
struct SharedValues {
  std::span<const float> values;
  std::shared_ptr<const void> owner;  // keeps them where they are, and as they are

  SharedValues part(std::size_t first, std::size_t count) const {
    return {values.subspan(first, count), owner};
  }
  /// Whether `next` lies behind them, in the same memory.
  bool isFollowedBy(const SharedValues& next) const {
    return owner == next.owner && values.data() + values.size() == next.values.data();
  }
  /// Takes `next`, too. Requires isFollowedBy().
  void extendBy(const SharedValues& next) {
    values = {values.data(), values.size() + next.values.size()};
  }
};

}  // namespace sumac
