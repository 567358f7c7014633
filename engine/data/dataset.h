#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/core/result.h"
#include "engine/data/csv_columns.h"
#include "engine/data/samples.h"
#include "engine/data/text_corpus.h"
#include "engine/pictures/picture.h"
#include "job/document/training_job.h"

namespace sumac::worker {

enum class DataKind : std::uint8_t { kImages, kText };

/// What a job trains on, in memory or in a packed file: either images or text; the other is empty.
/// A value type.
struct Dataset {
  Images images;
  Text text;
  CsvColumns columns;             // of a table: how its rows became samples
  DecodeOptions pictures;         // of pictures: how their pixels were made
  std::uint32_t fingerprint = 0;  // CRC-32C of all data; the same in every worker of a job
  std::string warning;            // what the user should know of the files; mostly empty

  DataKind kind() const { return text.train.empty() ? DataKind::kImages : DataKind::kText; }
};

/// The memory that its samples or words take.
std::uint64_t bytesOf(const Dataset& dataset);

/// A data set with its fingerprint.
Dataset makeDataset(Images images);
Dataset makeDataset(Text text);

struct LoadOptions {
  std::filesystem::path data_folder = {};  // of bundled data sets; empty: see findDataFolder()
  std::uint64_t seed = 1;                  // of the job: it selects the validation split
  int threads = 1;                         // that decode pictures; the result is the same
  std::filesystem::path packed = {};  // what they were packed into already; empty: they were not
  bool may_lack_test =
      false;  // of who measures nothing: neither test samples nor validation is fine
};

/// Loads what `data` names: the files of its format at `path`, generated data, or a bundled data
/// set. Every failure names the file, what was found and what was expected.
Result<Dataset> loadDataset(const job::DataSpec& data, const LoadOptions& options);

}  // namespace sumac::worker
