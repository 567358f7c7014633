#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::worker {

inline constexpr std::size_t kMaxCategories = 1'000;

enum class CsvKind : std::uint8_t { kNumeric, kCategorical };

/// A column of a table that a network trains on.
struct CsvColumn {
  std::string name;
  CsvKind kind = CsvKind::kNumeric;
  std::vector<std::string> categories = {};  // those of the training file, sorted by bytes

  /// The number of features that it becomes: one of a number, one of each category.
  std::size_t features() const { return kind == CsvKind::kNumeric ? 1 : categories.size(); }

  bool operator==(const CsvColumn&) const = default;
};

/// How rows become features: all that is needed to read another row as those of the training file.
struct CsvColumns {
  std::string label;               // the name of the column of classes
  std::vector<CsvColumn> columns;  // all others, in the order of the training file

  std::size_t features() const;

  bool operator==(const CsvColumns&) const = default;
};

/// What is wrong with a cell, and what to do about it.
struct CsvProblem {
  std::size_t column = 0;
  std::string message;
};

/// A cell's number; nothing if it is none that a float holds.
std::optional<float> csvNumber(std::string_view cell);

/// Writes the features of one row: a number as it is, a category as 1 among zeros. `cells` are in
/// the order of the columns. Returns the first problem, if there is one. Requires as many cells as
/// columns, and as much room as features().
std::optional<CsvProblem> encodeRow(const CsvColumns& columns,
                                    std::span<const std::string_view> cells,
                                    std::span<float> features);

/// The place of each column in a header. Fails with kNotFound, naming the first that is absent.
Result<std::vector<std::size_t>> placesOf(const CsvColumns& columns,
                                          std::span<const std::string> header);

}  // namespace sumac::worker
