#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::worker {

/// The types of values that are read, all little-endian: u1, i4, i8, f4, f8.
enum class NpyType : std::uint8_t { kU1, kI4, kI8, kF4, kF8 };

std::string_view toString(NpyType type);
std::size_t sizeOf(NpyType type);

/// What the head of a .npy file says of its values.
struct NpyHead {
  NpyType type = NpyType::kU1;
  std::vector<std::uint64_t> shape;  // at most 2^31 bytes in all, and at least one
};

/// The bytes with which a .npy file begins: "\x93NUMPY", two of the version, then the length of
/// the dictionary, in two bytes in version 1 and in four in versions 2 and 3.
inline constexpr std::size_t kNpyStart = 10;
inline constexpr std::uint32_t kMaxNpyHead = 65'536;
inline constexpr std::uint64_t kMaxNpyBytes = std::uint64_t{1} << 31U;

/// Where the dictionary is.
struct NpyDictionary {
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// Finds it from the first bytes of a file: 12, or all that it has. Fails with kInvalid unless it
/// is of a known version and at most kMaxNpyHead long.
Result<NpyDictionary> findNpyDictionary(std::string_view start);

/// Reads the dictionary, a literal of Python. Fails with kInvalid for values of other types, in
/// Fortran order, none, or of more than kMaxNpyBytes, and says what numpy should write.
Result<NpyHead> parseNpyHead(std::string_view dictionary);

}  // namespace sumac::worker
