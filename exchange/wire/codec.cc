#include "exchange/wire/codec.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/core/check.h"
#include "base/core/crc32c.h"

// The layout stands in docs/protocol.md.

namespace sumac::wire {
namespace {

constexpr std::string_view kMagic = "SUMC";
constexpr std::uint8_t kMajor = 1;
constexpr std::uint8_t kMinor = 0;
constexpr std::size_t kLengthUnit = 8;  // the header's length is counted in these
constexpr std::uint8_t kNoValues = 0;   // codec of a message without
constexpr std::uint8_t kDense = 0;      // forms of values
constexpr std::uint8_t kSparse = 1;
constexpr std::uint32_t kIndexBits = 24;  // of the sender's number; its role is above them
constexpr std::uint32_t kIndexMask = (1U << kIndexBits) - 1;
static_assert(static_cast<std::uint32_t>(kLargestIndex) <= kIndexMask);

namespace at {
constexpr std::size_t kMajor = 4;
constexpr std::size_t kMinor = 5;
constexpr std::size_t kLength = 6;
constexpr std::size_t kType = 7;
constexpr std::size_t kJob = 8;
constexpr std::size_t kGeneration = 16;
constexpr std::size_t kSender = 20;
constexpr std::size_t kIncarnation = 24;
constexpr std::size_t kSequence = 32;
constexpr std::size_t kAcknowledged = 40;
constexpr std::size_t kCredit = 48;
constexpr std::size_t kConnection = 52;
constexpr std::size_t kStep = 56;
constexpr std::size_t kRange = 64;
constexpr std::size_t kFirst = 72;
constexpr std::size_t kCount = 80;
constexpr std::size_t kCodec = 84;
constexpr std::size_t kForm = 85;
constexpr std::size_t kPayloadLength = 88;
constexpr std::size_t kPayloadChecksum = 92;
constexpr std::size_t kNodeBegin = 96;
constexpr std::size_t kNodeEnd = 100;
constexpr std::size_t kValue = 104;
constexpr std::size_t kTerm = 112;
constexpr std::size_t kChecksum = 124;
}  // namespace at

bool carriesValues(MessageType type) {
  return type == MessageType::kPush || type == MessageType::kSum || type == MessageType::kTotal ||
         type == MessageType::kState;
}

std::size_t payloadLimit(MessageType type) {
  return carriesValues(type) ? kMaxDataPayload : kMaxControlPayload;
}

bool isType(std::uint8_t type) {
  constexpr std::uint8_t kFormer = 21;  // of a version that is gone
  return type >= static_cast<std::uint8_t>(MessageType::kJoin) && type != kFormer &&
         type <= static_cast<std::uint8_t>(MessageType::kSuspect);
}

/// Of everything but itself; an appended part is covered too.
std::uint32_t headerChecksum(BytesView header) {
  const std::uint32_t front = crc32c(header.first(at::kChecksum));
  return crc32c(header.subspan(kHeaderSize), front);
}

template <typename T>
T load(BytesView header, std::size_t offset) {
  return loadLittleEndian<T>(header.data() + offset);
}

/// Whether these bytes are a header of this protocol that came unharmed.
std::optional<Rejection> checkFrame(BytesView header) {
  if (header.size() < kHeaderSize || header.size() > kMaxHeaderSize ||
      header.size() % kLengthUnit != 0) {
    return Rejection::kHeaderLength;
  }
  if (asText(header.first(kMagic.size())) != kMagic) return Rejection::kMagic;
  if (load<std::uint8_t>(header, at::kMajor) != kMajor) return Rejection::kVersion;
  if (load<std::uint8_t>(header, at::kLength) * kLengthUnit != header.size()) {
    return Rejection::kHeaderLength;
  }
  if (load<std::uint32_t>(header, at::kChecksum) != headerChecksum(header)) {
    return Rejection::kHeaderChecksum;
  }
  if (!isType(load<std::uint8_t>(header, at::kType))) return Rejection::kType;
  return std::nullopt;
}

/// Whether so many values can be written in `size` bytes: which of them are the gradient's, and
/// not written as fp32 whatever the codec, is known to who has the plan.
bool canHold(std::uint64_t count, Codec codec, bool is_sparse, std::size_t size) {
  const std::uint64_t least = count * sizeOf(codec);
  const std::uint64_t most = count * sizeof(float);
  if (is_sparse) return least <= kMaxDataPayload && size <= most;
  const std::uint64_t saved = sizeof(float) - sizeOf(codec);  // by each that is the gradient's
  if (saved == 0) return size == most;
  return least <= size && size <= most && (most - size) % saved == 0;
}

/// Whether a payload of `size` bytes has the values that the header says.
std::optional<Rejection> checkValues(BytesView header, bool carries_values, std::size_t size) {
  const auto codec = load<std::uint8_t>(header, at::kCodec);
  const auto form = load<std::uint8_t>(header, at::kForm);
  if (!carries_values) {
    if (codec == kNoValues) return std::nullopt;
    return Rejection::kField;
  }
  if (!isCodec(codec) || (form != kDense && form != kSparse)) return Rejection::kField;
  const auto count = std::uint64_t{load<std::uint32_t>(header, at::kCount)};
  if (canHold(count, static_cast<Codec>(codec), form == kSparse, size)) return std::nullopt;
  return Rejection::kPayloadLength;
}

/// Whether the payload is what the header, itself unharmed, says.
std::optional<Rejection> checkPayload(BytesView header, BytesView payload) {
  const auto type = static_cast<MessageType>(load<std::uint8_t>(header, at::kType));
  if (payload.size() > payloadLimit(type)) return Rejection::kPayloadLength;
  if (load<std::uint32_t>(header, at::kPayloadLength) != payload.size()) {
    return Rejection::kPayloadLength;
  }
  if (const auto rejection = checkValues(header, carriesValues(type), payload.size()))
    return rejection;
  if (load<std::uint32_t>(header, at::kPayloadChecksum) != crc32c(payload)) {
    return Rejection::kPayloadChecksum;
  }
  return std::nullopt;
}

/// Whether the fields can be what they stand for, whatever the job.
bool fieldsFit(BytesView header) {
  constexpr std::uint32_t kMaxPart = std::numeric_limits<std::int32_t>::max();
  const auto begin = load<std::uint32_t>(header, at::kNodeBegin);
  const auto end = load<std::uint32_t>(header, at::kNodeEnd);
  const auto sender = load<std::uint32_t>(header, at::kSender);
  return begin <= end && end <= kMaxPart && load<Step>(header, at::kStep) >= 0 &&
         sender >> kIndexBits <= static_cast<std::uint32_t>(Role::kWorker) &&
         (sender & kIndexMask) <= static_cast<std::uint32_t>(kLargestIndex) &&
         load<Incarnation>(header, at::kIncarnation) != 0;
}

Header loadFields(BytesView from) {
  const auto sender = load<std::uint32_t>(from, at::kSender);
  Header header;
  header.type = static_cast<MessageType>(load<std::uint8_t>(from, at::kType));
  header.job = load<std::uint64_t>(from, at::kJob);
  header.term = load<std::uint32_t>(from, at::kTerm);
  header.generation = load<std::uint32_t>(from, at::kGeneration);
  header.sender.slot.role = static_cast<Role>(sender >> kIndexBits);
  header.sender.slot.index = static_cast<int>(sender & kIndexMask);
  header.sender.incarnation = load<Incarnation>(from, at::kIncarnation);
  header.sequence = load<std::uint64_t>(from, at::kSequence);
  header.acknowledged = load<std::uint64_t>(from, at::kAcknowledged);
  header.credit = load<std::uint32_t>(from, at::kCredit);
  header.connection = load<std::uint32_t>(from, at::kConnection);
  header.step = load<Step>(from, at::kStep);
  header.range = load<std::uint32_t>(from, at::kRange);
  header.first = load<std::uint64_t>(from, at::kFirst);
  header.count = load<std::uint32_t>(from, at::kCount);
  if (carriesValues(header.type)) {
    header.codec = static_cast<Codec>(load<std::uint8_t>(from, at::kCodec));
    header.is_sparse = load<std::uint8_t>(from, at::kForm) == kSparse;
  }
  header.node.begin = static_cast<int>(load<std::uint32_t>(from, at::kNodeBegin));
  header.node.end = static_cast<int>(load<std::uint32_t>(from, at::kNodeEnd));
  header.value = load<std::uint64_t>(from, at::kValue);
  return header;
}

template <typename T>
void store(HeaderBytes& bytes, std::size_t offset, T value) {
  storeLittleEndian(bytes.data() + offset, value);
}

void storeFields(HeaderBytes& bytes, const Header& header) {
  const auto role = static_cast<std::uint32_t>(header.sender.slot.role);
  const auto index = static_cast<std::uint32_t>(header.sender.slot.index);
  store(bytes, at::kType, static_cast<std::uint8_t>(header.type));
  store(bytes, at::kJob, header.job);
  store(bytes, at::kGeneration, header.generation);
  store(bytes, at::kSender, (role << kIndexBits) | index);
  store(bytes, at::kIncarnation, header.sender.incarnation);
  store(bytes, at::kSequence, header.sequence);
  store(bytes, at::kAcknowledged, header.acknowledged);
  store(bytes, at::kCredit, header.credit);
  store(bytes, at::kConnection, header.connection);
  store(bytes, at::kStep, header.step);
  store(bytes, at::kRange, header.range);
  store(bytes, at::kFirst, header.first);
  store(bytes, at::kCount, header.count);
  if (carriesValues(header.type)) {
    store(bytes, at::kCodec, static_cast<std::uint8_t>(header.codec));
    store(bytes, at::kForm, header.is_sparse ? kSparse : kDense);
  }
  store(bytes, at::kNodeBegin, static_cast<std::uint32_t>(header.node.begin));
  store(bytes, at::kNodeEnd, static_cast<std::uint32_t>(header.node.end));
  store(bytes, at::kValue, header.value);
  store(bytes, at::kTerm, header.term);
}

}  // namespace

HeaderBytes encode(const Header& header, BytesView payload) {
  return encode(header, payload.size(), crc32c(payload));
}

HeaderBytes encode(const Header& header, std::size_t size, std::uint32_t checksum) {
  SUMAC_CHECK(size <= payloadLimit(header.type), header.type, size);
  SUMAC_CHECK(
      !carriesValues(header.type) || canHold(header.count, header.codec, header.is_sparse, size),
      header.type, size, header.count);
  const int index = header.sender.slot.index;
  SUMAC_CHECK(index >= 0 && index <= kLargestIndex, index);

  HeaderBytes bytes{};
  std::ranges::copy(asBytes(kMagic), bytes.begin());
  store(bytes, at::kMajor, kMajor);
  store(bytes, at::kMinor, kMinor);
  store(bytes, at::kLength, static_cast<std::uint8_t>(kHeaderSize / kLengthUnit));
  storeFields(bytes, header);
  store(bytes, at::kPayloadLength, static_cast<std::uint32_t>(size));
  store(bytes, at::kPayloadChecksum, checksum);
  store(bytes, at::kChecksum, headerChecksum(bytes));
  return bytes;
}

std::variant<Header, Rejection> decode(BytesView header, BytesView payload) {
  if (const auto rejection = checkFrame(header)) return *rejection;
  if (const auto rejection = checkPayload(header, payload)) return *rejection;
  if (!fieldsFit(header)) return Rejection::kField;
  return loadFields(header);
}

}  // namespace sumac::wire
