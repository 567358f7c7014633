#pragma once

#include <filesystem>

#include "common/base/result.h"
#include "worker/data/samples.h"

namespace sumac::worker {

/// Bytes of one record of a CIFAR-10 binary file: the label, then 3 channels of 32 x 32 pixels.
inline constexpr std::size_t kCifarRecord = 3073;

/// Loads CIFAR-10's binary version (Krizhevsky 2009) in `folder`: every data_batch_<n>.bin there
/// is, by n, test_batch.bin, and the classes' names where batches.meta.txt has them. Fails with a
/// message that names the file, what was found and what was expected.
Result<Images> loadCifar10(const std::filesystem::path& folder);

}  // namespace sumac::worker
