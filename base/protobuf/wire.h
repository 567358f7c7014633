#pragma once

/// The wire format's numbers (protobuf.dev/programming-guides/encoding).
namespace sumac::protobuf {

inline constexpr unsigned kVarint = 0;
inline constexpr unsigned kFixed64 = 1;
inline constexpr unsigned kLengthDelimited = 2;
inline constexpr unsigned kFixed32 = 5;
inline constexpr unsigned kWireTypeBits = 3;
inline constexpr int kMaxField = (1 << 29) - 1;

}  // namespace sumac::protobuf
