#pragma once

#include <map>
#include <string>

#include "base/core/result.h"
#include "engine/model_file/model_file.h"

namespace sumac::worker {

/// A file's metadata: text by name.
using Metadata = std::map<std::string, std::string>;

/// Whether a file describes its model at all.
bool hasDescription(const Metadata& metadata);

/// A description as metadata. Names and words of any bytes come back as they are.
Metadata metadataOf(const ModelDescription& description);

/// The reverse; names it does not know are left out. Fails with kUnsupported for a later version's
/// format, and with kInvalid, naming what is wrong, for a damaged description. Whether it fits its
/// network is not checked. Requires hasDescription().
Result<ModelDescription> descriptionIn(const Metadata& metadata);

/// Those of the metadata that say how files of pictures and rows of tables become inputs; both are
/// a part of the functions above. Columns whose text would be longer than kMostColumnsText are left
/// out.
void putInputs(const ModelDescription& description, Metadata& metadata);
Result<void> readInputs(const Metadata& metadata, ModelDescription& description);

}  // namespace sumac::worker
