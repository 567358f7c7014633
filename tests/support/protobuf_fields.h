#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/core/bytes.h"

namespace sumac {

/// One field of a Protocol Buffers message, as it is on the wire.
struct ProtobufField {
  int number = 0;
  std::uint64_t value = 0;  // of a varint, or the bits of a fixed32
  BytesView bytes;          // of what is length-delimited

  std::string text() const { return std::string(asText(bytes)); }
};

/// Reads a message's fields; throws where it is malformed. Written without a look at the writer.
class ProtobufFields {
 public:
  explicit ProtobufFields(BytesView message) : rest_(message) {
    while (!rest_.empty())
      fields_.push_back(field());
  }

  const std::vector<ProtobufField>& all() const { return fields_; }

  /// Those of a number, in their order.
  std::vector<ProtobufField> of(int number) const {
    std::vector<ProtobufField> found;
    for (const ProtobufField& field : fields_)
      if (field.number == number) found.push_back(field);
    return found;
  }

  /// The only one of a number.
  ProtobufField only(int number) const {
    const auto found = of(number);
    if (found.size() != 1) throw std::runtime_error("not one field " + std::to_string(number));
    return found.front();
  }

 private:
  BytesView take(std::uint64_t count) {
    if (count > rest_.size()) throw std::runtime_error("the message ends within a field");
    const BytesView taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(take(1).front());
      value |= (byte & 127U) << shift;
      if (byte < 128) return value;
    }
    throw std::runtime_error("a varint of more than ten bytes");
  }

  ProtobufField field() {
    const std::uint64_t tag = varint();
    ProtobufField field;
    field.number = static_cast<int>(tag >> 3U);
    switch (tag & 7U) {
      case 0: field.value = varint(); return field;
      case 2: field.bytes = take(varint()); return field;
      case 5: field.value = loadLittleEndian<std::uint32_t>(take(4).data()); return field;
      default: throw std::runtime_error("a wire type that we do not write");
    }
  }

  BytesView rest_;
  std::vector<ProtobufField> fields_;
};

}  // namespace sumac
