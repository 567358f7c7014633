#include "engine/data/csv_header.h"

#include <algorithm>
#include <unordered_map>

#include "base/core/text.h"
#include "base/core/units.h"
#include "job/document/nearest.h"

namespace sumac::worker {
namespace {

constexpr std::size_t kMaxNameBytes = 1'024;

/// The first names of a header, and how many more there are.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostListed = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i)
    list += (i == 0 ? "" : ", ") + shownCell(names[i]);
  if (names.size() > kMostListed)
    list += " and " + std::to_string(names.size() - kMostListed) + " more";
  return list;
}

Result<std::vector<std::string>> uniqueNames(const CsvReader& reader) {
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reader.cells().size(); ++i) {
    const std::string_view name = reader.cells()[i];
    if (name.empty()) {
      return reader.refused(i, "column " + std::to_string(i + 1) +
                                   " has no name in the header; give it one, or leave it out "
                                   "(pandas: to_csv(..., index=False))");
    }
    if (const std::string problem = csvNameProblem(name); !problem.empty())
      return reader.refused(i, problem);
    const auto [other, is_new] = places.emplace(name, i);
    if (!is_new) {
      return reader.refused(i, "columns " + std::to_string(other->second + 1) + " and " +
                                   std::to_string(i + 1) + " are both called " + shownCell(name) +
                                   "; rename or remove one");
    }
    names.emplace_back(name);
  }
  return names;
}

/// What else than commas separates the cells of a line that has one cell; "" if nothing does.
std::string otherSeparator(const CsvReader& reader) {
  if (reader.cells().size() > 1) return "";
  const std::string_view cell = reader.cells().front();
  if (cell.find(';') != cell.npos) return "semicolons";
  return cell.find('\t') != cell.npos ? "tabs" : "";
}

}  // namespace

std::string csvNameProblem(std::string_view name) {
  if (name.size() > kMaxNameBytes)
    return "the name " + shownCell(name) + " has more than 1,024 bytes; shorten it";
  if (firstBadByte(name)) {
    return "the name " + shownCell(name) +
           " is not UTF-8; save the file as UTF-8 (from Latin-1: iconv -f latin1 -t utf-8)";
  }
  const bool has_controls =
      std::ranges::any_of(name, [](unsigned char byte) { return byte < ' ' || byte == 0x7FU; });
  if (has_controls)
    return "the name " + shownCell(name) +
           " has a line end or another control character in it; "
           "remove it";
  return "";
}

Result<std::vector<std::string>> readCsvNames(CsvReader& reader) {
  const auto found = reader.next();
  if (!found) return found.error();
  if (!*found)
    return reader.refused(0, "it is empty; write a header with the names of the columns");
  if (const std::string separator = otherSeparator(reader); !separator.empty())
    return reader.refused(0, "its cells seem to be separated by " + separator + "; write commas");
  return uniqueNames(reader);
}

Result<CsvHeader> readCsvHeader(CsvReader& reader, const std::string& label) {
  auto names = readCsvNames(reader);
  if (!names) return names.error();
  CsvHeader header{*std::move(names), 0};
  const auto at = std::ranges::find(header.names, label);
  if (at == header.names.end()) {
    return reader.refused(0, "there is no column " + shownCell(label) +
                                 " with the classes; the columns are " + listed(header.names) +
                                 job::suggestion(label, header.names));
  }
  header.label = static_cast<std::size_t>(at - header.names.begin());
  if (header.names.size() == 1) {
    return reader.refused(0, "there is no column but " + shownCell(label) +
                                 ", that with the classes; add the columns to learn from");
  }
  return header;
}

Result<bool> nextRow(CsvReader& reader, const CsvHeader& header) {
  auto found = reader.next();
  if (!found || !*found) return found;
  const std::size_t cells = reader.cells().size();
  if (cells == header.names.size()) return found;
  return reader.refused(
      header.names.size(),
      "found " + counted(static_cast<std::int64_t>(cells), "cell") + " in this line, expected " +
          std::to_string(header.names.size()) + " as in the header" +
          (cells > header.names.size() ? "; put cells that have commas in quotes" : ""));
}

}  // namespace sumac::worker
