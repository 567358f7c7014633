#include "engine/packed/packed_head.h"

#include <algorithm>
#include <cstring>

#include "base/core/check.h"
#include "base/core/checked.h"
#include "base/core/crc32c.h"

namespace sumac::worker {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kCrcAt = kPackedOpening - sizeof(std::uint32_t);

constexpr const char* kPackAgain = "; pack it again with `sumac data pack`, or copy it again";

Error unusablePack(const std::string& what) {
  return Error{ErrorCode::kInvalid, what};
}

// Numbers as they are in memory: Sumac runs on little-endian machines alone.

template <typename T>
void put(Bytes& bytes, T value) {
  const auto view = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

template <typename T>
T take(BytesView& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

template <typename T>
void putAll(Bytes& bytes, const std::vector<T>& values) {
  const auto view = std::as_bytes(std::span(values));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

template <typename T>
std::vector<T> takeAll(BytesView& bytes, std::uint64_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return values;
}

/// Whether the sizes are within their limits, and their sums do not overflow.
bool isPossible(const PackedOpening& opening) {
  if (opening.description_bytes > kMaxDescription || opening.sample_bytes == 0) return false;
  if (opening.train > kMaxPackedSamples || opening.test > kMaxPackedSamples) return false;
  const auto data = checkedMultiply(opening.samples(), opening.sample_bytes);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
  return data && *data > 0 && *data <= kMost && opening.samples() <= kMaxPackedSamples;
}

}  // namespace

std::uint64_t PackedOpening::headBytes() const {
  return description_bytes + samples() * sizeof(std::uint16_t) + chunks() * sizeof(std::uint32_t);
}

std::uint64_t PackedOpening::dataBegin() const {
  return (kPackedOpening + headBytes() + kPage - 1) / kPage * kPage;
}

Bytes openingBytes(PackedOpening opening, BytesView head) {
  SUMAC_CHECK(isPossible(opening), opening.samples(), opening.sample_bytes);
  SUMAC_CHECK(head.size() == opening.headBytes(), head.size(), opening.headBytes());
  Bytes bytes(asBytes(kPackedMagic).begin(), asBytes(kPackedMagic).end());
  put(bytes, kVersion);
  put(bytes, opening.description_bytes);
  put(bytes, opening.train);
  put(bytes, opening.test);
  put(bytes, opening.sample_bytes);
  put(bytes, crc32c(head));
  bytes.resize(kCrcAt);
  put(bytes, crc32c(bytes));
  return bytes;
}

Bytes headBytes(const PackedHead& head) {
  const auto text = asBytes(head.description);
  Bytes bytes(text.begin(), text.end());
  putAll(bytes, head.labels);
  putAll(bytes, head.checksums);
  return bytes;
}

Result<PackedOpening> readOpening(BytesView bytes, std::uint64_t file_bytes) {
  if (!asText(bytes).starts_with(kPackedMagic)) {
    return unusablePack(
        "it is not a packed file; `sumac data pack DIR FILE` makes one of a data set");
  }
  if (bytes.size() < kPackedOpening)
    return unusablePack("it ends within its first " + std::to_string(kPackedOpening) + " bytes" +
                        kPackAgain);
  BytesView rest = bytes.subspan(kPackedMagic.size());
  const auto version = take<std::uint32_t>(rest);
  PackedOpening opening;
  opening.description_bytes = take<std::uint32_t>(rest);
  opening.train = take<std::uint64_t>(rest);
  opening.test = take<std::uint64_t>(rest);
  opening.sample_bytes = take<std::uint64_t>(rest);
  opening.head_crc = take<std::uint32_t>(rest);
  rest = bytes.subspan(kCrcAt);
  if (take<std::uint32_t>(rest) != crc32c(bytes.first(kCrcAt)))
    return unusablePack(std::string("it is damaged in its first 64 bytes") + kPackAgain);
  if (version != kVersion) {
    return unusablePack("it has version " + std::to_string(version) +
                        " of the format, and this Sumac reads version 1 alone; pack it again with "
                        "this Sumac, or use that which packed it");
  }
  if (!isPossible(opening))
    return unusablePack(std::string("its sizes are impossible") + kPackAgain);
  if (file_bytes == opening.fileBytes()) return opening;
  return unusablePack("it has " + std::to_string(file_bytes) + " bytes, and should have " +
                      std::to_string(opening.fileBytes()) + ": it was " +
                      (file_bytes < opening.fileBytes() ? "cut" : "added to") + kPackAgain);
}

Result<PackedHead> readHead(const PackedOpening& opening, BytesView bytes) {
  SUMAC_CHECK(bytes.size() == opening.headBytes(), bytes.size(), opening.headBytes());
  if (crc32c(bytes) != opening.head_crc) {
    return unusablePack("it is damaged between the bytes " + std::to_string(kPackedOpening) +
                        " and " + std::to_string(kPackedOpening + bytes.size()) +
                        ", where its description and its labels are" + kPackAgain);
  }
  PackedHead head;
  head.description = asText(bytes.first(opening.description_bytes));
  bytes = bytes.subspan(opening.description_bytes);
  head.labels = takeAll<std::uint16_t>(bytes, opening.samples());
  head.checksums = takeAll<std::uint32_t>(bytes, opening.chunks());
  return head;
}

}  // namespace sumac::worker
