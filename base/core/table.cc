#include "base/core/table.h"

#include <algorithm>
#include <cstddef>

namespace sumac {
namespace {

constexpr std::size_t kGap = 3;

std::size_t widthOf(const std::string& text) {
  const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_first));
}

void appendRow(std::string& out, const std::vector<std::string>& row,
               const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += row[i];
    line.append(widths[i] - widthOf(row[i]) + kGap, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

std::string table(const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  const auto measure = [&widths](const std::vector<std::string>& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], widthOf(row[i]));
  };
  measure(header);
  for (const auto& row : rows)
    measure(row);
  std::string out;
  appendRow(out, header, widths);
  for (const auto& row : rows)
    appendRow(out, row, widths);
  return out;
}

}  // namespace sumac
