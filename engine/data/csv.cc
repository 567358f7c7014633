#include "engine/data/csv.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/text.h"

namespace sumac::worker {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Bytes that end a cell without quotes, or have no place in it.
constexpr auto kEndsCell = [] {
  std::array<bool, 256> ends{};
  for (const char byte : {'\0', ',', '\n', '\r', '"'})
    ends[static_cast<unsigned char>(byte)] = true;
  return ends;
}();

bool isBlank(char byte) {
  return byte == ' ' || byte == '\t';
}

bool isContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::string withSingleQuotes(std::string_view doubled) {
  std::string text;
  for (std::size_t end = 0; (end = doubled.find("\"\"")) != doubled.npos;) {
    text += doubled.substr(0, end + 1);
    doubled.remove_prefix(end + 2);
  }
  return text += doubled;
}

std::string_view withoutBlanksBehind(std::string_view cell) {
  while (!cell.empty() && isBlank(cell.back()))
    cell.remove_suffix(1);
  return cell;
}

}  // namespace

std::string shownCell(std::string_view cell) {
  constexpr std::size_t kMostShown = 40;
  std::string shown(wholeCharacters(cell, kMostShown));
  const bool is_cut = shown.size() < cell.size();
  const bool is_utf8 = !firstBadByte(shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    const auto next = i + 1 < shown.size() ? static_cast<unsigned char>(shown[i + 1]) : 0U;
    const bool is_c1 = byte == 0xC2U && next < 0xA0U;
    if (byte < ' ' || byte == 0x7FU || (byte >= 0x80U && !is_utf8)) shown[i] = '?';
    if (is_c1 && is_utf8) shown.replace(i, 2, "?");
  }
  return "'" + shown + (is_cut ? "...'" : "'");
}

CsvReader::CsvReader(std::string_view text, std::string name)
    : text_(text), name_(std::move(name)) {
  if (text_.starts_with(kByteOrderMark)) row_ = at_ = kByteOrderMark.size();
}

std::string CsvReader::placeAt(std::size_t at) const {
  std::int64_t line = row_line_;
  std::int64_t column = 1;
  for (const char byte : text_.substr(row_, at - row_)) {
    if (byte == '\n') {
      ++line;
      column = 1;
    } else if (!isContinuation(byte)) {
      ++column;
    }
  }
  return name_ + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string CsvReader::placeOf(std::size_t cell) const {
  if (cell < begins_.size()) return placeAt(begins_[cell]);
  const std::string_view row = text_.substr(row_, at_ - row_);
  return placeAt(row_ + row.find_last_not_of("\r\n") + 1);
}

Error CsvReader::refusedAt(std::size_t at, const std::string& what) const {
  return Error{ErrorCode::kInvalid, "cannot use " + placeAt(at) + ": " + what};
}

Error CsvReader::refused(std::size_t cell, const std::string& what) const {
  return Error{ErrorCode::kInvalid, "cannot use " + placeOf(cell) + ": " + what};
}

Result<void> CsvReader::checkBeginning() const {
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    return refusedAt(0, "it is UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  if (text_.starts_with("\x1F\x8B")) return refusedAt(0, "it is compressed: gunzip it first");
  return {};
}

void CsvReader::skipBlanks() {
  while (at_ < text_.size() && isBlank(text_[at_]))
    ++at_;
}

void CsvReader::skipEmptyLines() {
  for (row_ = at_; at_ < text_.size(); row_ = at_) {
    skipBlanks();
    const std::string_view rest = text_.substr(at_);
    if (!rest.empty() && !rest.starts_with('\n') && !rest.starts_with("\r\n")) break;
    if (!rest.empty()) ++row_line_;
    at_ += rest.starts_with('\r') ? 2U : std::min<std::size_t>(1, rest.size());
  }
  at_ = row_;
}

Result<bool> CsvReader::next() {
  row_line_ += std::exchange(line_ends_, 0);
  cells_.clear();
  begins_.clear();
  unquoted_.clear();
  if (at_ == 0) {
    if (auto checked = checkBeginning(); !checked) return checked.error();
  }
  skipEmptyLines();
  if (at_ == text_.size()) return false;
  while (true) {
    if (auto read = readCell(); !read) return read.error();
    const auto goes_on = passSeparator();
    if (!goes_on) return goes_on.error();
    if (!*goes_on) return true;
  }
}

Result<void> CsvReader::readCell() {
  skipBlanks();
  return at_ < text_.size() && text_[at_] == '"' ? readQuoted() : readPlain();
}

Result<void> CsvReader::readPlain() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && !kEndsCell[static_cast<unsigned char>(text_[at_])])
    ++at_;
  if (at_ < text_.size() && text_[at_] == '\0')
    return refusedAt(at_, "found a NUL byte; CSV is text, in UTF-8");
  if (at_ < text_.size() && text_[at_] == '"') {
    return refusedAt(at_,
                     "found a quote inside a cell without quotes; put the whole cell in quotes, "
                     "and write each quote within twice");
  }
  return add(begin, withoutBlanksBehind(text_.substr(begin, at_ - begin)));
}

Result<void> CsvReader::readQuoted() {
  const std::size_t quote = at_;
  const std::string_view content = text_.substr(quote + 1, 2 * kMaxCsvCell);
  std::size_t end = content.find('"');
  bool has_doubled = false;
  for (; content.substr(std::min(end, content.size())).starts_with("\"\"");
       end = content.find('"', end + 2))
    has_doubled = true;
  if (end == content.npos) {
    return refusedAt(quote, quote + 1 + content.size() == text_.size()
                                ? "this quote is never closed; close it at the end of the cell"
                                : "this cell has more than 64 KiB; is its quote closed?");
  }
  std::string_view cell = content.substr(0, end);
  if (const std::size_t nul = cell.find('\0'); nul != cell.npos)
    return refusedAt(quote + 1 + nul, "found a NUL byte; CSV is text, in UTF-8");
  line_ends_ += std::ranges::count(cell, '\n');
  at_ = quote + 1 + end + 1;
  skipBlanks();
  if (has_doubled) {
    cell = unquoted_.emplace_back(withSingleQuotes(cell));
  }
  return add(quote, cell);
}

Result<void> CsvReader::add(std::size_t begin, std::string_view cell) {
  if (cell.size() > kMaxCsvCell)
    return refusedAt(begin, "this cell has more than 64 KiB; is a quote or a line end missing?");
  if (cells_.size() == kMaxCsvColumns)
    return refusedAt(begin, "this line has more than 65,536 cells; leave columns out");
  begins_.push_back(begin);
  cells_.push_back(cell);
  return {};
}

Result<bool> CsvReader::passSeparator() {
  const std::string_view rest = text_.substr(at_, 2);
  if (rest.starts_with(',')) {
    ++at_;
    return true;
  }
  if (rest.empty()) return false;
  if (rest.starts_with('\n') || rest == "\r\n") {
    at_ += rest[0] == '\n' ? 1U : 2U;
    ++line_ends_;
    return false;
  }
  if (rest.starts_with('\r'))
    return refusedAt(at_, "found a carriage return alone; end lines with LF or CR LF");
  return refusedAt(at_,
                   "found text behind the quote that ends the cell; write a quote within a "
                   "cell twice");
}

}  // namespace sumac::worker
