#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/enum_text.h"

namespace sumac::wire {

/// Why a message was rejected; rejections are counted by reason.
enum class Rejection : std::uint8_t {
  kFrameCount,       // not one header frame and at most one payload frame
  kHeaderLength,     // the header frame is too short, too long, or not as long as it says
  kMagic,            // does not begin with "SUMC"
  kVersion,          // another major version
  kHeaderChecksum,   // the header was damaged in transit
  kType,             // no such message type
  kPayloadLength,    // differs from the header, cannot hold `count` values, or exceeds the limit
  kPayloadChecksum,  // the payload was damaged in transit
  kField,            // a field is out of its range
  kJob,              // of another job
  kSender,           // the header's sender does not own the connection
  kKey,              // the connection was made with the key of another slot
};

inline constexpr std::size_t kRejections = 12;

std::string_view toString(Rejection rejection);
using sumac::operator<<;

}  // namespace sumac::wire
