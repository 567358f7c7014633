#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "engine/data/samples.h"
#include "engine/model_file/model_file.h"

namespace sumac::worker {

/// What a file has to predict.
struct FileSamples {
  Samples samples;          // as the model takes them, normalized as in its training; labels are 0
  bool is_picture = false;  // one sample: the file itself
};

/// Reads a file for a model: a picture (treated as those of its training), an array of numpy, a
/// table, or images in the idx format. What it is, its first bytes and then the ending of its name
/// tell. Fails with a message that names the file where it is none of these, or not as the model
/// takes it.
Result<FileSamples> samplesIn(const std::filesystem::path& file, const ModelFile& model);

}  // namespace sumac::worker
