#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/core/result.h"
#include "engine/data/class_folder.h"
#include "job/document/training_job.h"

namespace sumac::worker {

struct CacheOptions {
  std::filesystem::path folder;                // of the packed files; made where it is missing
  int threads = 1;                             // that decode pictures
  std::uint64_t max_bytes = kMaxDecodedBytes;  // what takes no more is not packed
  /// Before a file is packed, which is of so many bytes.
  std::function<void(const std::filesystem::path& file, std::uint64_t bytes)> on_begin = {};
  /// Of samples; called by the caller's thread.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress = {};
};

struct CachedPack {
  std::filesystem::path file = {};  // empty: the data are loaded into memory as they are
  std::string warning = {};         // what the user should know of the unpacked files; mostly empty
};

/// Where packed files are kept on this machine: $XDG_CACHE_HOME/sumac/data, or
/// ~/.cache/sumac/data; empty where neither is known.
std::filesystem::path cacheFolder();

/// Packs the pictures of `data`, if they take more memory than `max_bytes`, into a file of the
/// cache, unless one made of the very same files is there: same names, sizes and times. A file of
/// other content has its place taken. Fails as packDataset() does.
Result<CachedPack> packIntoCache(const job::DataSpec& data, const CacheOptions& options);

}  // namespace sumac::worker
