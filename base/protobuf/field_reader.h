#pragma once

#include <cstdint>
#include <optional>

#include "base/core/bytes.h"

namespace sumac::protobuf {

/// One field of a message, as it is on the wire.
struct Field {
  int number = 0;
  std::uint64_t value = 0;  // of a varint, a fixed32 or a fixed64: its bits
  BytesView bytes;          // of what is length-delimited: in the message
};

/// Reads the fields of a message (message.h) one after the other. The bytes are not trusted:
/// reading ends at the first that is no field. A value type; the message outlives it.
class FieldReader {
 public:
  explicit FieldReader(BytesView message) : rest_(message) {}

  /// The next field; none after the last one, and from the first malformed one on.
  std::optional<Field> next();
  /// Whether reading ended before the message did.
  bool isMalformed() const { return is_malformed_; }

 private:
  std::optional<std::uint64_t> varint();
  std::optional<BytesView> take(std::uint64_t count);
  std::optional<Field> read();

  BytesView rest_;
  bool is_malformed_ = false;
};

}  // namespace sumac::protobuf
