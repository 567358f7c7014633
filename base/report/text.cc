#include "base/report/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <span>

#include "base/core/check.h"
#include "base/core/text.h"
#include "base/core/units.h"
#include "base/report/report.h"

namespace sumac::report {
namespace {

constexpr int kLeastSentence = 16;  // columns in which a sentence can be read
constexpr const char* kNothing = "-";

bool isFirstByte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

int widthOf(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, isFirstByte));
}

/// The bytes of the first `columns` characters.
std::size_t bytesOf(std::string_view text, int columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (isFirstByte(text[at]) && columns-- == 0) break;
  }
  return at;
}

/// For terminals without UTF-8.
std::string ascii(const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"±", "+-"}, {"…", "..."}, {"×", "x"}, {"·", "."}, {"→", "->"}, {"≤", "<="}, {"≥", ">="}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const auto* const word = std::ranges::find_if(
        kWords, [rest](const auto& each) { return rest.starts_with(each.first); });
    const bool is_known = word != std::end(kWords);
    const std::size_t length = is_known ? word->first.size() : bytesOf(rest, 1);
    const bool is_ascii = length == 1 && static_cast<unsigned char>(rest.front()) < 0x80;
    out += is_known ? word->second : is_ascii ? rest.substr(0, 1) : "?";
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

/// What is not ASCII has no capitals here: half a word of them would be worse than none.
std::string upper(std::string text) {
  if (widthOf(text) != static_cast<int>(text.size())) return text;
  for (char& letter : text)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

std::string joined(std::initializer_list<std::string_view> texts) {
  std::string out;
  for (const std::string_view text : texts) {
    if (!text.empty()) out.append(out.empty() ? "" : " ").append(text);
  }
  return out;
}

std::string textOf(const Cell& cell) {
  std::string text = cell.text;
  if (text.empty() && !cell.value.is_null())
    text = cell.value.is_string() ? cell.value.get<std::string>() : cell.value.dump();
  const std::string mark = cell.mark.empty() ? "" : "(" + cell.mark + ")";
  const std::string all = printable(joined({text, cell.aside, mark, cell.origin}));
  return all.empty() ? kNothing : all;
}

/// A table as texts, of the columns that people see.
struct Grid {
  std::vector<const Column*> columns;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<int> widths;
  int gap = 3;               // between columns
  std::size_t left_out = 0;  // rows

  Grid(const Table& table, std::size_t most_rows) {
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (isForPeople(table.columns[i])) shown.push_back(i);
    }
    for (const std::size_t i : shown) {
      const Column& column = table.columns[i];
      columns.push_back(&column);
      header.push_back(upper(printable(column.title)) +
                       (column.unit.empty() ? "" : "(" + column.unit + ")"));
      widths.push_back(widthOf(header.back()));
    }
    const std::size_t most = std::min(most_rows, table.rows.size());
    left_out = table.rows.size() - most;
    for (const auto& row : std::span(table.rows).first(most)) {
      SUMAC_CHECK(row.size() == table.columns.size(), row.size(), table.columns.size());
      auto& texts = rows.emplace_back();
      for (const std::size_t i : shown) {
        texts.push_back(textOf(row[i]));
        int& width = widths[texts.size() - 1];
        width = std::max(width, widthOf(texts.back()));
      }
    }
  }

  int width() const {
    return std::accumulate(widths.begin(), widths.end(), 0) +
           gap * std::max(0, static_cast<int>(widths.size()) - 1);
  }
};

/// Takes columns from sentences, the widest first, then from the gaps, until the table fits.
/// Whether it does then.
bool narrow(Grid& grid, int columns) {
  while (grid.width() > columns) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < grid.widths.size(); ++i) {
      const bool is_broken = grid.columns[i]->kind == ColumnKind::kSentence &&
                             grid.widths[i] > std::max(kLeastSentence, widthOf(grid.header[i]));
      if (is_broken && (widest == nullptr || grid.widths[i] > *widest)) widest = &grid.widths[i];
    }
    if (widest == nullptr && grid.gap == 1) return false;
    --(widest == nullptr ? grid.gap : *widest);
  }
  return true;
}

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// A row as aligned columns, of several lines where sentences are broken.
void appendRow(std::string& out, const std::vector<std::string>& row, const Grid& grid) {
  std::vector<std::vector<std::string>> fields;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    fields.push_back(linesOf(wrapped(row[i], grid.widths[i])));
    height = std::max(height, fields.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string part = line < fields[i].size() ? fields[i][line] : "";
      text += part +
              std::string(static_cast<std::size_t>(grid.widths[i] - widthOf(part) + grid.gap), ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
}

std::string asColumns(const Grid& grid) {
  std::string out;
  appendRow(out, grid.header, grid);
  for (const auto& row : grid.rows)
    appendRow(out, row, grid);
  return out;
}

/// Each row as lines of a name and a value, for terminals that are narrower than the table.
std::string asRecords(const Grid& grid, int columns) {
  constexpr int kIndent = 2;
  std::string out;
  for (const auto& row : grid.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += wrapped(grid.header[i] + ": " + row[i], columns, kIndent) + "\n";
    out += "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

struct Writer {
  const TextStyle& style;
  std::string out{};

  void line(std::string_view text, int indent = 0) {
    out += wrapped(printable(text), style.columns, indent) + "\n";
  }
  void operator()(const Paragraph& paragraph) {
    if (!paragraph.text.empty()) line(paragraph.text);
  }
  void operator()(const List& list) {
    for (const std::string& item : list.items)
      line("  " + item, 2);
  }
  void operator()(const Findings& findings) {
    for (const std::string& sentence : findings.sentences)
      line(sentence);
    if (!findings.basis.empty()) line(findings.basis);
  }
  void operator()(const Definitions& definitions) {
    for (const auto& [name, meaning] : definitions.entries)
      line("  " + name + ": " + meaning, 4);
  }
  void operator()(const Preformatted& lines) {
    for (const std::string& each : linesOf(lines.text))
      line("  " + each, 4);
  }
  void operator()(const Table& table) {
    if (table.rows.empty()) return;
    if (!table.caption.empty()) line(table.caption + ":");
    out += toText(table, {style.columns, style.is_wide, true});
  }
  void operator()(const Pictures&) {}
};

bool isShown(const Section& section, const TextStyle& style) {
  return section.audience == Audience::kAll || section.audience == Audience::kTerminal ||
         (section.audience == Audience::kWide && style.is_wide);
}

}  // namespace

std::string wrapped(std::string_view text, int columns, int indent) {
  if (columns <= 0 || widthOf(text) <= columns) return std::string(text);
  constexpr int kLeast = 2;  // a character and the backslash
  columns = std::max(columns, kLeast);
  indent = std::clamp(indent, 0, columns - kLeast);
  std::string out;
  for (int room = columns; !text.empty(); room = columns - indent) {
    if (!out.empty()) out.append("\n").append(static_cast<std::size_t>(indent), ' ');
    if (widthOf(text) <= room) return out.append(text);
    const std::size_t most = bytesOf(text, room + 1);
    const std::size_t begin = std::min(text.find_first_not_of(' '), most);
    const std::size_t space = text.substr(begin, most - begin).rfind(' ');
    if (space == text.npos) {
      const std::size_t end = bytesOf(text, room - 1);
      out.append(text.substr(0, end)).append("\\");
      text.remove_prefix(end);
    } else {
      out.append(text.substr(0, begin + space));
      text.remove_prefix(begin + space);
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
  }
  return out;
}

std::string tableText(const std::vector<std::string>& titles,
                      const std::vector<std::vector<std::string>>& rows, const TextStyle& style) {
  Table table{.most_rows = rows.size()};
  for (const std::string& title : titles)
    table.columns.push_back({"", title});
  table.columns.back().kind = ColumnKind::kSentence;
  for (const auto& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const std::string& text : row)
      cells.push_back({text});
  }
  return toText(table, style);
}

int widest(std::string_view lines) {
  int most = 0;
  for (const std::string& line : linesOf(lines))
    most = std::max(most, widthOf(line));
  return most;
}

std::string toText(const Table& table, const TextStyle& style) {
  Grid grid(table, style.is_wide ? table.rows.size() : table.most_rows);
  const bool fits = style.columns <= 0 || narrow(grid, style.columns);
  std::string out = fits ? asColumns(grid) : asRecords(grid, style.columns);
  if (grid.left_out > 0) {
    const auto count = static_cast<std::int64_t>(grid.left_out);
    out += wrapped("... and " + countText(count) + " more " + table.noun + (count == 1 ? "" : "s"),
                   style.columns, 2) +
           "\n";
  }
  return style.has_utf8 ? out : ascii(out);
}

std::string toText(const Report& report, const TextStyle& style) {
  Writer writer{style};
  for (const std::string& alarm : report.heading.alarms)
    writer.line(alarm);
  for (const Section& section : report.sections) {
    if (!isShown(section, style)) continue;
    Writer blocks{style};
    for (const Block& block : section.blocks)
      std::visit(blocks, block);
    if (blocks.out.empty()) continue;
    if (!section.heading.empty()) {
      if (!writer.out.empty()) writer.out += "\n";
      writer.line(section.heading + ":");
    }
    writer.out += blocks.out;
  }
  return style.has_utf8 ? writer.out : ascii(writer.out);
}

}  // namespace sumac::report
