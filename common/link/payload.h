#pragma once

#include <cstdint>
#include <memory>

#include "common/base/bytes.h"
#include "common/base/crc32c.h"

namespace sumac::link {

/// The payload of a message: copied and checksummed once, then sent to any number of peers and any
/// number of times. Immutable: any thread may read it.
class Payload {
 public:
  explicit Payload(BytesView bytes)
      : bytes_(bytes.begin(), bytes.end()), checksum_(crc32c(bytes_)) {}

  BytesView bytes() const { return bytes_; }
  /// CRC-32C.
  std::uint32_t checksum() const { return checksum_; }

 private:
  const Bytes bytes_;
  const std::uint32_t checksum_;
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
