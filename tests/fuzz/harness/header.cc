#include <algorithm>
#include <cstdint>

#include "base/core/check.h"
#include "base/core/crc32c.h"
#include "exchange/wire/codec.h"
#include "exchange/wire/zero_blocks.h"
#include "tests/fuzz/harness/harness.h"

namespace sumac::fuzz {
namespace {

using wire::Header;
using wire::HeaderBytes;
using wire::Rejection;

// Places in the frame (docs/protocol.md) that a random change has to keep consistent.
constexpr std::size_t kMinor = 5;
constexpr std::size_t kLength = 6;
constexpr std::size_t kPayloadLength = 88;
constexpr std::size_t kPayloadChecksum = 92;
constexpr std::size_t kChecksum = 124;

/// Bytes that this version leaves zero, and that may differ in a later minor version.
bool isFree(std::size_t at) {
  return at == kMinor || at == kLength || (at >= 48 && at < 52) || (at >= 68 && at < 72) ||
         (at >= 85 && at < 88) || at >= 116;
}

/// What is read of a payload without its zeros can be written and read again.
void checkZeroBlocks(const Header& header, BytesView payload) {
  const std::size_t least = header.count * sizeOf(header.codec);
  Bytes all(least);
  if (!wire::restoreZeroBlocks(payload, all)) return;
  const auto sparse = wire::withoutZeroBlocks(all);
  if (!sparse) return;
  SUMAC_CHECK(sparse->size() <= payload.size());
  Bytes again(least, std::byte{0xFF});
  SUMAC_CHECK(wire::restoreZeroBlocks(*sparse, again) && again == all);
}

void checkDecoding(BytesView frame, BytesView payload) {
  const auto decoded = wire::decode(frame, payload);
  if (const auto* rejection = std::get_if<Rejection>(&decoded)) {
    SUMAC_CHECK(static_cast<std::size_t>(*rejection) < wire::kRejections);
    SUMAC_CHECK(!wire::toString(*rejection).empty());
    return;
  }
  const auto& header = std::get<Header>(decoded);
  SUMAC_CHECK(!wire::toString(header.type).empty());
  if (header.is_sparse) checkZeroBlocks(header, payload);
  const HeaderBytes again = wire::encode(header, payload);
  for (std::size_t i = 0; i < again.size(); ++i)
    SUMAC_CHECK(isFree(i) || again[i] == frame[i], i, header.type);
  const auto second = wire::decode(again, payload);
  SUMAC_CHECK(std::holds_alternative<Header>(second), header.type);
  SUMAC_CHECK(wire::encode(std::get<Header>(second), payload) == again, header.type);
}

/// With the lengths and checksums that the frame should have: what a peer sends that means ill.
Bytes repaired(BytesView frame, BytesView payload) {
  Bytes good(frame.begin(), frame.end());
  good[kLength] = static_cast<std::byte>(good.size() / 8);
  storeLittleEndian(good.data() + kPayloadLength, static_cast<std::uint32_t>(payload.size()));
  storeLittleEndian(good.data() + kPayloadChecksum, crc32c(payload));
  const BytesView view(good);
  const std::uint32_t front = crc32c(view.first(kChecksum));
  storeLittleEndian(good.data() + kChecksum, crc32c(view.subspan(wire::kHeaderSize), front));
  return good;
}

}  // namespace

void header(BytesView input) {
  if (input.empty()) return;
  const auto length = std::to_integer<std::size_t>(input.front());
  input = input.subspan(1);
  const BytesView frame = input.first(std::min(input.size(), length == 0 ? 256 : length));
  const BytesView payload = input.subspan(frame.size());
  checkDecoding(frame, payload);
  if (frame.size() >= wire::kHeaderSize) checkDecoding(repaired(frame, payload), payload);
}

}  // namespace sumac::fuzz
