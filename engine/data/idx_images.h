#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// Loads the four files {train,t10k}-{images-idx3,labels-idx1}-ubyte from `folder`, each plain or
/// with .gz: gray images of as many classes as the training labels say, from 2 to kMaxClasses.
/// Files of labels have bytes or, then also named labels-idx1-int, 32-bit numbers; classes.txt has
/// the names of the classes, if it is there. Fails with a message that names the file, what was
/// found and what was expected.
Result<Images> loadIdxImages(const std::filesystem::path& folder);

}  // namespace sumac::worker
