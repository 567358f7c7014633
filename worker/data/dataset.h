#pragma once

#include <cstdint>
#include <filesystem>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "worker/data/samples.h"
#include "worker/data/text_corpus.h"

namespace sumac::worker {

enum class DataKind : std::uint8_t { kImages, kText };

/// What a job trains on, in memory: images or text, the other one is empty. A value type.
struct Dataset {
  Images images;
  Text text;
  std::uint32_t fingerprint = 0;  // CRC-32C of all that fixes the bits: others are refused

  DataKind kind() const { return text.train.empty() ? DataKind::kImages : DataKind::kText; }
};

/// A data set of these, with its fingerprint.
Dataset makeDataset(Images images);
Dataset makeDataset(Text text);

/// Loads what `data` names: the files of its format at `path`, what it asks to generate, or for a
/// data set that comes with the product the folder `data_folder`/name (searched near the program
/// when `data_folder` is empty, see findDataFolder()). Every failure names the file, what was found
/// and what was expected.
Result<Dataset> loadDataset(const job::DataSpec& data, const std::filesystem::path& data_folder);

}  // namespace sumac::worker
