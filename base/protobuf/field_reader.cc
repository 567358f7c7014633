#include "base/protobuf/field_reader.h"

#include "base/protobuf/wire.h"

namespace sumac::protobuf {

std::optional<BytesView> FieldReader::take(std::uint64_t count) {
  if (count > rest_.size()) return std::nullopt;
  const BytesView taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::optional<std::uint64_t> FieldReader::varint() {
  constexpr unsigned kBits = 7;
  constexpr std::uint64_t kMore = 0x80;
  constexpr unsigned kMostBits = 64;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kMostBits; shift += kBits) {
    const auto byte = take(1);
    if (!byte) return std::nullopt;
    const auto bits = std::to_integer<std::uint64_t>(byte->front());
    value |= (bits & (kMore - 1)) << shift;
    if (bits < kMore) return value;
  }
  return std::nullopt;
}

std::optional<Field> FieldReader::read() {
  const auto tag = varint();
  if (!tag || *tag >> kWireTypeBits < 1 || *tag >> kWireTypeBits > kMaxField) return std::nullopt;
  Field field{static_cast<int>(*tag >> kWireTypeBits), 0, {}};
  const auto fixed = [&]<typename T>(T) {
    const auto bytes = take(sizeof(T));
    if (bytes) field.value = loadLittleEndian<T>(bytes->data());
    return bytes.has_value();
  };
  switch (*tag & ((1U << kWireTypeBits) - 1)) {
    case kVarint: {
      const auto value = varint();
      field.value = value.value_or(0);
      return value ? std::optional(field) : std::nullopt;
    }
    case kFixed64: return fixed(std::uint64_t{}) ? std::optional(field) : std::nullopt;
    case kFixed32: return fixed(std::uint32_t{}) ? std::optional(field) : std::nullopt;
    case kLengthDelimited: {
      const auto size = varint();
      const auto bytes = size ? take(*size) : std::nullopt;
      field.bytes = bytes.value_or(BytesView());
      return bytes ? std::optional(field) : std::nullopt;
    }
    default: return std::nullopt;  // groups, which nobody writes any more
  }
}

std::optional<Field> FieldReader::next() {
  if (rest_.empty() || is_malformed_) return std::nullopt;
  auto field = read();
  is_malformed_ = !field;
  return field;
}

}  // namespace sumac::protobuf
