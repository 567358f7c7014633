#pragma once

#include <cstdint>
#include <filesystem>

#include "base/core/result.h"
#include "engine/data/samples.h"
#include "engine/data/text_corpus.h"
#include "job/document/training_job.h"

namespace sumac::worker {

enum class DataKind : std::uint8_t { kImages, kText };

/// What a job trains on, in memory: either images or text; the other is empty. A value type.
struct Dataset {
  Images images;
  Text text;
  std::uint32_t fingerprint = 0;  // CRC-32C of all data; the same in every worker of a job

  DataKind kind() const { return text.train.empty() ? DataKind::kImages : DataKind::kText; }
};

/// The memory that its samples or words take.
std::uint64_t bytesOf(const Dataset& dataset);

/// A data set with its fingerprint.
Dataset makeDataset(Images images);
Dataset makeDataset(Text text);

/// Loads what `data` names: the files of its format at `path`, generated data, or a bundled data
/// set from `data_folder`/name (if `data_folder` is empty: see findDataFolder()). Every failure
/// names the file, what was found and what was expected. `seed` is the job's: it selects the
/// validation split.
Result<Dataset> loadDataset(const job::DataSpec& data, const std::filesystem::path& data_folder,
                            std::uint64_t seed = 1);

}  // namespace sumac::worker
