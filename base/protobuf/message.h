#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/core/bytes.h"

namespace sumac::protobuf {

/// A message in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding): its
/// fields one after the other, in the order of the calls. A repeated field is added once for each
/// value. Requires field numbers from 1 to 2^29 - 1.
///
/// Large values can stay where they are until the whole is written: addView(). A value type.
class Message {
 public:
  /// A varint: int32, int64, uint32, bool, enum. A negative number takes ten bytes.
  void addNumber(int field, std::int64_t value);
  /// A fixed32: float.
  void addFloat(int field, float value);
  /// A fixed64: double.
  void addDouble(int field, double value);
  /// Length-delimited: string (UTF-8), bytes.
  void addText(int field, std::string_view text) { addBytes(field, asBytes(text)); }
  void addBytes(int field, BytesView bytes);
  /// The same without a copy: `bytes` outlive this message, and each that takes it.
  void addView(int field, BytesView bytes);
  /// Length-delimited: a message inside this one.
  void addMessage(int field, const Message& message);

  std::uint64_t size() const { return own_.size() + viewed_; }

  /// The whole message.
  Bytes bytes() const;
  /// The same after what `all` has.
  void appendTo(Bytes& all) const;
  /// Memory for so many bytes: until there fields do not allocate.
  void reserve(std::size_t bytes) { own_.reserve(bytes); }
  /// Without a field again. Keeps its memory: what is no larger than before does not allocate.
  void clear();

 private:
  /// Bytes of somebody else, before the byte `at` of ours.
  struct View {
    std::size_t at = 0;
    BytesView bytes;
  };

  void addVarint(std::uint64_t value);
  void addTag(int field, unsigned wire_type);

  Bytes own_;
  std::vector<View> views_;  // in the order of the message
  std::uint64_t viewed_ = 0;
};

}  // namespace sumac::protobuf
