#pragma once

#include <filesystem>

#include "base/core/result.h"
#include "engine/data/csv_columns.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// Loads the rows of a table that are to be predicted: its header names the columns, in any order,
/// and may have others, as the label's; those are not read. All labels are 0. Fails with a message
/// that names file, line and column.
Result<Samples> loadCsvSamples(const std::filesystem::path& file, const CsvColumns& columns);

}  // namespace sumac::worker
