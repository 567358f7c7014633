#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/core/bytes.h"

namespace sumac::fuzz {

/// A file in memory that is opened by its path, so that a call costs no disk.
class MemoryFile {
 public:
  explicit MemoryFile(BytesView content);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const;

 private:
  int descriptor_;
};

/// Writes a file of a temporary folder; nobody waits for the disk.
void writeFile(const std::filesystem::path& path, BytesView content);

/// Cuts an input into `count` files: three bytes of length each, little-endian and at most 64 KiB,
/// then their contents. What the input lacks is zeros: a record of thousands of bytes needs only
/// those that matter.
std::vector<Bytes> filesIn(BytesView input, std::size_t count);

/// The input that filesIn() cuts into these files.
Bytes joined(const std::vector<Bytes>& files);

}  // namespace sumac::fuzz
