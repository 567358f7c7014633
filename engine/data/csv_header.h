#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "engine/data/csv.h"

namespace sumac::worker {

/// The first line of a table.
struct CsvHeader {
  std::vector<std::string> names;
  std::size_t label = 0;  // the place of the column of classes
};

/// Reads the names of the columns. Fails with kInvalid unless every column has one of its own.
Result<std::vector<std::string>> readCsvNames(CsvReader& reader);

/// The same where one of them is `label`, and there are others.
Result<CsvHeader> readCsvHeader(CsvReader& reader, const std::string& label);

/// Reads the next row; false at the end. Fails with kInvalid unless it has a cell for each column.
Result<bool> nextRow(CsvReader& reader, const CsvHeader& header);

/// Why a text cannot name a column, a class or a category, and what to do; "" if it can.
std::string csvNameProblem(std::string_view name);

}  // namespace sumac::worker
