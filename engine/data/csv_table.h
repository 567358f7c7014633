#pragma once

#include <filesystem>
#include <string>

#include "base/core/result.h"
#include "engine/data/csv_columns.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// A data set of vectors, and how its rows became them.
struct CsvTable {
  Images images;
  CsvColumns columns;
};

/// Loads train.csv and, if it is there, test.csv from `folder`, which have a header each; without
/// the latter `test` has no samples. The cells of the column
/// `label` are the classes; each other column becomes one feature if all its cells to train on are
/// numbers, else one of each category. The test file has the same columns in any order, and no
/// class and no category of its own. Fails with a message that names file, line and column, and
/// says what to do.
Result<CsvTable> loadCsv(const std::filesystem::path& folder, const std::string& label);

}  // namespace sumac::worker
