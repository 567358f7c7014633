#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/base/result.h"

namespace sumac::worker {

/// An IDX file of unsigned bytes, the format of MNIST (yann.lecun.com/exdb/mnist): magic 0 0 8
/// rank, the extents as big-endian 32-bit numbers, the values.
struct IdxFile {
  std::vector<std::uint32_t> extents;
  std::vector<std::uint8_t> values;
};

/// The most values that a file may hold.
inline constexpr std::uint64_t kMaxIdxValues = std::uint64_t{1} << 31U;

/// Reads a file of `rank` extents, plain or gzip. Fails with kNotFound, and with kInvalid when it
/// is anything but exactly one such array; memory is taken only for a size that the file's own size
/// makes possible.
Result<IdxFile> readIdx(const std::filesystem::path& path, int rank);

}  // namespace sumac::worker
