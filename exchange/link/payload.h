#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/core/bytes.h"
#include "base/core/crc32c.h"

namespace sumac::link {

/// The payload of a message: never copied, checksummed once, then sent to any number of peers and
/// any number of times. Any thread may read its bytes, and any may drop the last reference.
class Payload {
 public:
  /// `owner` keeps the bytes where they are, and as they are, until it is dropped.
  Payload(BytesView bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  BytesView bytes() const { return bytes_; }
  /// What keeps the bytes: for others that refer to them.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  /// CRC-32C. For the thread that sends: the first call computes it, for what does not leave the
  /// process never does.
  std::uint32_t checksum() const {
    if (!checksum_) checksum_ = crc32c(bytes_);
    return *checksum_;
  }

 private:
  BytesView bytes_;
  std::shared_ptr<const void> owner_;
  mutable std::optional<std::uint32_t> checksum_;
};

/// Null: no payload.
using PayloadPtr = std::shared_ptr<const Payload>;

/// A payload of bytes that `owner` keeps.
inline PayloadPtr sharePayload(BytesView bytes, std::shared_ptr<const void> owner) {
  return bytes.empty() ? nullptr : std::make_shared<const Payload>(bytes, std::move(owner));
}

/// A payload of a copy of `bytes`.
inline PayloadPtr makePayload(BytesView bytes) {
  auto copy = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  const BytesView view = *copy;
  return sharePayload(view, std::move(copy));
}

inline BytesView bytesOf(const PayloadPtr& payload) {
  return payload ? payload->bytes() : BytesView{};
}

}  // namespace sumac::link
