#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "engine/data/csv.h"

namespace sumac::worker {

/// The classes that the rows of a table have, in the order in which they come.
class CsvClasses {
 public:
  /// Takes the class of the reader's row. Fails with kInvalid for none, for one that cannot be a
  /// name, and beyond kMaxClasses.
  Result<void> add(const CsvReader& reader, std::size_t cell);

  /// Sorts the classes, as integers if all are, else by bytes; returns their names.
  std::vector<std::string> sort();

  /// That of each row: its place among the names once they are sorted.
  std::vector<std::uint16_t>& ofRows() { return of_rows_; }

 private:
  Result<void> addNew(const CsvReader& reader, std::size_t cell);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::unordered_map<std::string, std::uint16_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::uint16_t> of_rows_;
};

}  // namespace sumac::worker
