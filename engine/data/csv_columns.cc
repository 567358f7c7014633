#include "engine/data/csv_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <unordered_map>

#include "base/core/check.h"
#include "engine/data/csv.h"

namespace sumac::worker {
namespace {

std::string problemOfNumber(const CsvColumn& column, std::string_view cell) {
  const std::string name = "column " + shownCell(column.name);
  if (cell.empty()) return name + " has no value here; write a number, or leave the line out";
  return name + " has numbers, but here " + shownCell(cell) +
         "; write it as a number, or leave the line out";
}

std::string problemOfCategory(const CsvColumn& column, std::string_view cell) {
  const std::string name = "column " + shownCell(column.name);
  if (cell.empty()) return name + " has no value here; write one, or leave the line out";
  return name + " has " + shownCell(cell) +
         " here, which no line to train on has; add such lines to train.csv, or leave this one out";
}

}  // namespace

std::size_t CsvColumns::features() const {
  std::size_t count = 0;
  for (const CsvColumn& column : columns)
    count += column.features();
  return count;
}

std::optional<float> csvNumber(std::string_view cell) {
  // from_chars takes no plus sign, and takes "nan" and "inf".
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  double number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, failure] = std::from_chars(cell.data(), end, number);
  const auto value = static_cast<float>(number);
  if (failure != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<CsvProblem> encodeRow(const CsvColumns& columns,
                                    std::span<const std::string_view> cells,
                                    std::span<float> features) {
  SUMAC_CHECK(cells.size() == columns.columns.size(), cells.size());
  std::ranges::fill(features, 0.0F);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CsvColumn& column = columns.columns[i];
    SUMAC_CHECK(features.size() >= column.features(), features.size());
    if (column.kind == CsvKind::kNumeric) {
      const auto number = csvNumber(cells[i]);
      if (!number) return CsvProblem{i, problemOfNumber(column, cells[i])};
      features[0] = *number;
    } else {
      const auto& categories = column.categories;
      const auto found = std::ranges::lower_bound(categories, cells[i]);
      if (found == categories.end() || *found != cells[i])
        return CsvProblem{i, problemOfCategory(column, cells[i])};
      features[static_cast<std::size_t>(found - categories.begin())] = 1.0F;
    }
    features = features.subspan(column.features());
  }
  return std::nullopt;
}

Result<std::vector<std::size_t>> placesOf(const CsvColumns& columns,
                                          std::span<const std::string> header) {
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < header.size(); ++i)
    by_name.emplace(header[i], i);
  std::vector<std::size_t> places;
  for (const CsvColumn& column : columns.columns) {
    const auto found = by_name.find(column.name);
    if (found == by_name.end()) {
      return Error{ErrorCode::kNotFound, "there is no column " + shownCell(column.name) +
                                             ", which the data to train on have"};
    }
    places.push_back(found->second);
  }
  return places;
}

}  // namespace sumac::worker
