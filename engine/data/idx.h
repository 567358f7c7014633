#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/core/result.h"

namespace sumac::worker {

/// An IDX file of unsigned bytes, the format of MNIST (yann.lecun.com/exdb/mnist): the bytes
/// 0, 0, type (8) and rank, the extents as big-endian 32-bit numbers, the values.
struct IdxFile {
  std::vector<std::uint32_t> extents;
  std::vector<std::uint8_t> values;
};

/// The maximum number of bytes that the values of a file take.
inline constexpr std::uint64_t kMaxIdxValues = std::uint64_t{1} << 31U;

/// Reads a file of `rank` extents, plain or gzip. Fails with kNotFound, and with kInvalid unless
/// the file is exactly one such array. A header cannot make it allocate more than a file of that
/// size can hold.
Result<IdxFile> readIdx(const std::filesystem::path& path, int rank);

/// Reads a file of labels, rank 1, of unsigned bytes or of signed 32-bit numbers (type 12), as
/// readIdx() does.
Result<std::vector<std::int32_t>> readIdxLabels(const std::filesystem::path& path);

}  // namespace sumac::worker
