#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/crc32c.h"

namespace sumac::link {

/// The payload of a message: copied once and checksummed once, then sent to any number of peers and
/// any number of times. Any thread may read its bytes.
class Payload {
 public:
  explicit Payload(BytesView bytes) : bytes_(bytes.begin(), bytes.end()) {}
  explicit Payload(Bytes&& bytes) : bytes_(std::move(bytes)) {}

  BytesView bytes() const { return bytes_; }
  /// CRC-32C. For the thread that sends: the first call computes it, for what does not leave the
  /// process never does.
  std::uint32_t checksum() const {
    if (!checksum_) checksum_ = crc32c(bytes_);
    return *checksum_;
  }

 private:
  const Bytes bytes_;
  mutable std::optional<std::uint32_t> checksum_;
};

/// Null: no payload.
using PayloadPtr = std::shared_ptr<const Payload>;

inline PayloadPtr makePayload(BytesView bytes) {
  return bytes.empty() ? nullptr : std::make_shared<const Payload>(bytes);
}

inline BytesView bytesOf(const PayloadPtr& payload) {
  return payload ? payload->bytes() : BytesView{};
}

}  // namespace sumac::link
