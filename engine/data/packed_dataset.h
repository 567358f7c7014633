#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "engine/data/dataset.h"
#include "engine/data/packed_description.h"

namespace sumac::worker {

/// A packed file as a data set.
struct PackedDataset {
  Dataset dataset;
  PackedDescription description;
};

/// Opens a packed file, or the only one in a folder; its samples stay where they are. Fails with
/// kInvalid for a file that is damaged, cut, or of another kind; messages name the file.
Result<PackedDataset> openPacked(const std::filesystem::path& path);

}  // namespace sumac::worker
