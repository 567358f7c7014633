#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/core/result.h"
#include "engine/packed/pack_writer.h"
#include "job/document/training_job.h"

namespace sumac::worker {

struct PackOptions {
  int threads = 1;  // that decode pictures; the file is the same
  Replace replace = Replace::kNever;
  std::string source = {};                    // what the file says it was packed from
  std::size_t decoded_at_once = 64UL << 20U;  // bytes of pictures: little beside a network
  /// Of samples; called by the caller's thread.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress = {};
};

/// Packs the samples of `data` into one file. Pictures of a folder are decoded piece by piece, so
/// that their number does not matter; other formats have limits of their own and are in memory at
/// once. What a job does to samples, `validation`, `normalize` and `augment`, does not count.
///
/// Returns what the user should know of the files; mostly nothing. Fails as loadDataset() and
/// PackWriter do, and with kInvalid for text, which is not packed.
Result<std::string> packDataset(const job::DataSpec& data, const std::filesystem::path& file,
                                const PackOptions& options);

}  // namespace sumac::worker
