#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/descriptor.h"
#include "base/core/result.h"
#include "engine/packed/packed_head.h"

namespace sumac::worker {

/// Whether a file that is there already is replaced.
enum class Replace { kNever, kIfThere };

/// Fails with kConflict where a file is at `path` that is not to be replaced.
Result<void> requireFree(const std::filesystem::path& path, Replace replace);

/// Writes a packed file, which gets its name when it is whole and on the disk. Until then it lies
/// beside that name with ".unfinished" behind it, locked, and goes with this object; a process that
/// is killed leaves it, and the next one of that name takes it.
class PackWriter {
 public:
  struct Sizes {
    std::uint64_t train = 0;
    std::uint64_t test = 0;
    std::uint64_t sample_bytes = 0;
    std::uint64_t description_bytes = 0;  // at most
  };

  /// Reserves the room on the disk. Fails as requireFree(), with kConflict where another process
  /// writes the file now, with kUnavailable where the disk is full, with kInvalid for sizes beyond
  /// the limits of the format, and as errorCodeOf() says.
  static Result<PackWriter> create(const std::filesystem::path& path, const Sizes& sizes,
                                   Replace replace);
  ~PackWriter();
  PackWriter(PackWriter&& other) noexcept;
  PackWriter& operator=(PackWriter&&) = delete;
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  /// Adds samples, those to train on first; of any number of bytes at a time.
  Result<void> add(BytesView samples);

  /// Writes the rest and gives the file its name. Requires all samples, a label of each, and a
  /// description of no more than the size that was given: spaces fill the rest.
  Result<void> finish(std::string description, std::vector<std::uint16_t> labels);

 private:
  PackWriter(std::filesystem::path path, std::filesystem::path unfinished, Descriptor file,
             const PackedOpening& opening, Replace replace);

  void addToChecksums(BytesView bytes);

  std::filesystem::path path_;
  std::filesystem::path unfinished_;  // empty: none to remove
  Descriptor file_;
  PackedOpening opening_;
  Replace replace_;
  std::uint64_t written_ = 0;  // bytes of samples
  std::vector<std::uint32_t> checksums_;
};

}  // namespace sumac::worker
