#pragma once

#include "base/core/result.h"
#include "engine/data/csv_columns.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// Puts the features of a table in the places that a model knows them by: columns and categories
/// are matched by name, other columns are left out. Fails with kInvalid where one is missing, is of
/// the other kind, or has a category that the model does not know.
Result<void> fitColumns(Images& images, const CsvColumns& columns, const CsvColumns& model);

}  // namespace sumac::worker
