#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// Bytes of one record of a CIFAR-10 binary file: the label, then 3 channels of 32 x 32 pixels. One
/// of CIFAR-100 begins with another byte, the number of the class's group.
inline constexpr std::size_t kCifarRecord = 3073;

/// Loads CIFAR-10's binary version (Krizhevsky 2009) from `folder`: all data_batch_<n>.bin in the
/// order of n, test_batch.bin, and the names of the classes if there is a batches.meta.txt. Fails
/// with a message that names the file, what was found and what was expected.
Result<Images> loadCifar10(const std::filesystem::path& folder);

/// Loads CIFAR-100's binary version likewise: train.bin, test.bin, and the names of the 100 classes
/// if there is a fine_label_names.txt. Groups are not used.
Result<Images> loadCifar100(const std::filesystem::path& folder);

}  // namespace sumac::worker
