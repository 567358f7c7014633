#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "common/model/network.h"

namespace sumac::worker {

/// Labelled samples in memory. Pixels are kept as bytes; gather() scales them to [0, 1].
struct Samples {
  model::Shape shape;  // of one sample: {1, 28, 28}
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

struct Dataset {
  Samples train;
  Samples test;
  int classes = 10;
  std::uint32_t fingerprint = 0;  // CRC-32C of all bytes: members with other data are refused
};

/// Loads what `data` names: the four files at `path`, or for a data set that comes with the product
/// the folder `data_folder`/name (searched near the program when `data_folder` is empty, see
/// findDataFolder()). Every failure names the file and what was expected of it.
Result<Dataset> loadDataset(const job::DataSpec& data, const std::filesystem::path& data_folder);

/// Copies the samples at `indices` as floats (a pixel p is float(p) / 255), and their labels.
/// Requires indices of samples, and outputs of exactly the size that they fill.
void gather(const Samples& samples, std::span<const std::int64_t> indices, std::span<float> inputs,
            std::span<std::int32_t> labels);

}  // namespace sumac::worker
