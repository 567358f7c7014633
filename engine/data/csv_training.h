#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "engine/data/csv_columns.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// What the file to train on says: all other rows are read by its columns and classes.
struct CsvTraining {
  CsvColumns columns;
  std::vector<std::string> classes;
  Samples samples;
};

/// Reads the file to train on. A column is numeric if all its cells are numbers, and refused if
/// half of them are. Classes are sorted as integers if all are, else by bytes. `name` is the
/// file's, for messages.
Result<CsvTraining> readCsvTraining(std::string_view text, const std::string& name,
                                    const std::string& label);

}  // namespace sumac::worker
