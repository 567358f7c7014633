#include "exchange/link/routing_id.h"

#include <limits>

#include "base/core/bytes.h"

namespace sumac::link {
namespace {

constexpr std::size_t kSize = 24;
constexpr std::byte kMark{'S'};

namespace at {
constexpr std::size_t kLane = 1;
constexpr std::size_t kRole = 2;
constexpr std::size_t kReserved = 3;
constexpr std::size_t kIndex = 4;
constexpr std::size_t kJob = 8;
constexpr std::size_t kIncarnation = 16;
}  // namespace at

}  // namespace

std::string encode(const RoutingId& id) {
  Bytes bytes(kSize);
  bytes[0] = kMark;
  bytes[at::kLane] = static_cast<std::byte>(id.lane);
  bytes[at::kRole] = static_cast<std::byte>(id.member.slot.role);
  storeLittleEndian(bytes.data() + at::kIndex, static_cast<std::uint32_t>(id.member.slot.index));
  storeLittleEndian(bytes.data() + at::kJob, id.job);
  storeLittleEndian(bytes.data() + at::kIncarnation, id.member.incarnation);
  return std::string(asText(bytes));
}

std::optional<RoutingId> decodeRoutingId(std::string_view text) {
  const BytesView bytes = asBytes(text);
  if (bytes.size() != kSize || bytes[0] != kMark || bytes[at::kReserved] != std::byte{0}) {
    return std::nullopt;
  }
  const auto index = loadLittleEndian<std::uint32_t>(bytes.data() + at::kIndex);
  if (bytes[at::kLane] > std::byte{1} || bytes[at::kRole] > std::byte{1} ||
      index > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  RoutingId id;
  id.lane = static_cast<Lane>(bytes[at::kLane]);
  id.member.slot = {static_cast<Role>(bytes[at::kRole]), static_cast<int>(index)};
  id.job = loadLittleEndian<std::uint64_t>(bytes.data() + at::kJob);
  id.member.incarnation = loadLittleEndian<Incarnation>(bytes.data() + at::kIncarnation);
  return id;
}

}  // namespace sumac::link
