#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// Loads the arrays of numpy that `folder` has: x_train.npy, y_train.npy, x_test.npy and
/// y_test.npy, or these in one .npz archive. x is (samples, features) or (samples, channels, rows,
/// columns), y one class of each sample; there is one class more than the largest to train on.
/// Fails with a message that names the array and says what to write in numpy.
Result<Images> loadNpy(const std::filesystem::path& folder);

/// Loads one array of samples of this shape, or of one: (1, 28, 28) or (samples, 1, 28, 28). As in
/// loadNpy() uint8 images are pixels, all else values. All labels are 0.
Result<Samples> loadNpySamples(const std::filesystem::path& file, const model::Shape& shape);

}  // namespace sumac::worker
