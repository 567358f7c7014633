#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::worker {

inline constexpr std::uint64_t kMaxCsvFile = std::uint64_t{1} << 31U;
inline constexpr std::size_t kMaxCsvCell = std::size_t{1} << 16U;
inline constexpr std::size_t kMaxCsvColumns = std::size_t{1} << 16U;

/// A cell as a message shows it: in quotes, at most 40 characters, without what controls terminals.
std::string shownCell(std::string_view cell);

/// Reads rows of comma-separated values (RFC 4180) one after another, in one pass and without a
/// copy of the text: cells in quotes may have commas, line ends and doubled quotes; lines end with
/// LF or CR LF. Empty lines do not count, nor blanks around a cell, nor a byte order mark.
class CsvReader {
 public:
  /// `text` and what reads it outlive the cells; `name` is the file's, for messages.
  CsvReader(std::string_view text, std::string name);

  /// Reads the next row; false at the end. Fails with kInvalid, with the place and what to do.
  Result<bool> next();

  /// The row's cells, until the next call of next().
  std::span<const std::string_view> cells() const { return cells_; }

  /// "FILE:LINE:COLUMN" of a cell of the row, counted from 1, columns in characters. That of the
  /// end of the row for a cell that it has not.
  std::string placeOf(std::size_t cell) const;

  /// The refusal of a cell.
  Error refused(std::size_t cell, const std::string& what) const;

 private:
  Result<void> checkBeginning() const;
  void skipBlanks();
  void skipEmptyLines();
  /// Each reads a cell up to the comma or the end of the line behind it.
  Result<void> readCell();
  Result<void> readPlain();
  Result<void> readQuoted();
  Result<void> add(std::size_t begin, std::string_view cell);
  /// Passes what separates two cells or two rows; whether another cell follows.
  Result<bool> passSeparator();
  std::string placeAt(std::size_t at) const;
  Error refusedAt(std::size_t at, const std::string& what) const;

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t row_ = 0;         // where the row begins
  std::int64_t row_line_ = 1;   // its line
  std::int64_t line_ends_ = 0;  // in the row, that which ends it too
  std::vector<std::string_view> cells_;
  std::vector<std::size_t> begins_;   // of the cells
  std::deque<std::string> unquoted_;  // cells of the row that had doubled quotes
};

}  // namespace sumac::worker
