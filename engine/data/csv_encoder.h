#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "engine/data/csv.h"
#include "engine/data/csv_columns.h"

namespace sumac::worker {

/// The bytes that the features of a file may take.
inline constexpr std::uint64_t kMaxCsvFeatures = std::uint64_t{1} << 31U;

/// Turns the rows of a file into features.
class CsvEncoder {
 public:
  /// `places`: of each column in the rows. `columns` outlive this.
  CsvEncoder(const CsvColumns& columns, std::vector<std::size_t> places);

  /// Appends the features of the reader's row. Fails with kInvalid, and the place, for a cell that
  /// is not as its column, and when the features become more than kMaxCsvFeatures.
  Result<void> add(const CsvReader& reader, std::vector<float>& features);

 private:
  const CsvColumns& columns_;  // outlives us
  const std::vector<std::size_t> places_;
  const std::size_t features_;
  std::vector<std::string_view> cells_;
};

/// The refusal of a row with which the features become more than kMaxCsvFeatures.
Error tooManyFeatures(const CsvReader& reader);

}  // namespace sumac::worker
