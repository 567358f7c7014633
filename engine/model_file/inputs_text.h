#pragma once

#include "base/core/result.h"
#include "engine/model_file/description_text.h"

namespace sumac::worker {

/// Adds how files of pictures and rows of tables become inputs to a file's metadata. Columns whose
/// text would be longer than kMostColumnsText are left out.
void putInputs(const ModelDescription& description, Metadata& metadata);

/// The reverse. Fails with kInvalid for a damaged description.
Result<void> readInputs(const Metadata& metadata, ModelDescription& description);

}  // namespace sumac::worker
