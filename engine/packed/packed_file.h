#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/descriptor.h"
#include "base/core/mutex.h"
#include "base/core/result.h"
#include "engine/packed/packed_head.h"

namespace sumac::worker {

/// A packed file that is open: its head in memory, its samples on the disk. Each chunk of the
/// samples is compared with its checksum when something of it is first read.
///
/// Samples are read with calls of the system, not through pages mapped into memory: of a mapped
/// file that is cut, or on storage that fails, the system ends the process without a word. Either
/// way the page cache keeps what memory has room for.
class PackedFile {
 public:
  struct Opened;

  /// Reads the head alone. Fails with kInvalid for a file that is damaged or cut, and as readFile()
  /// does; messages name the file.
  static Result<Opened> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const PackedOpening& opening() const { return opening_; }

  /// Reads a sample, those to train on come first. Any thread; allocates nothing. Requires room for
  /// exactly it. Fails with kInvalid where the file is damaged or was cut since, with kUnavailable
  /// where the storage fails.
  Result<void> read(std::uint64_t index, std::span<std::byte> sample) const;

 private:
  PackedFile(std::filesystem::path path, Descriptor file, const PackedOpening& opening,
             std::vector<std::uint32_t> checksums);

  Result<void> check(std::uint64_t chunk) const;
  Result<void> readAt(std::uint64_t begin, std::span<std::byte> bytes) const;

  std::filesystem::path path_;
  Descriptor file_;
  PackedOpening opening_;
  std::vector<std::uint32_t> checksums_;
  mutable std::vector<std::atomic<bool>> is_checked_;  // of each chunk
  mutable Mutex mutex_;
  mutable Bytes chunk_ SUMAC_GUARDED_BY(mutex_);  // room for one
};

struct PackedFile::Opened {
  std::shared_ptr<const PackedFile> file;  // never null
  std::string description;
  std::vector<std::uint16_t> labels;
};

}  // namespace sumac::worker
