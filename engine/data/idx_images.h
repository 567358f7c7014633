#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// Loads the four files {train,t10k}-{images-idx3,labels-idx1}-ubyte from `folder`, each plain or
/// with .gz: gray images of ten classes. Fails with a message that names the file, what was found
/// and what was expected.
Result<Images> loadIdxImages(const std::filesystem::path& folder);

}  // namespace sumac::worker
