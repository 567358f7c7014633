#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sumac {

/// Why a message of the data lane was rejected; rejections are counted by reason.
enum class PushRejection : std::uint8_t {
  kMember,  // the sender is not a worker of the roster
  kType,    // neither a push nor a query
  kRange,   // its range, place or size is not one of this server's
  kNode,    // its tree node is not one of the sender's block
  kStep,    // its step cannot be open
  kHeld,    // more than is held for a roster that has not arrived
  kCodec,   // its values are written by another codec than the job's
};

inline constexpr std::size_t kPushRejections = 7;

/// How many were rejected, by PushRejection.
using RejectedPushes = std::array<std::uint64_t, kPushRejections>;

/// As a metric's label: "member".
std::string_view toString(PushRejection reason);

}  // namespace sumac
