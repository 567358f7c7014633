#include "job/document/pattern.h"

#include <algorithm>

namespace sumac::job {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isLower(char c) {
  return c >= 'a' && c <= 'z';
}

/// Removes the digits at the front; returns how many.
std::size_t takeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

bool isDecimal(std::string_view text) {
  take(text, "-");
  const bool begins_with_zero = text.starts_with('0');
  const std::size_t whole = takeDigits(text);
  if (whole == 0 || (begins_with_zero && whole > 1)) return false;
  if (take(text, ".") && takeDigits(text) == 0) return false;
  if (take(text, "eE")) {
    take(text, "-+");
    const std::size_t exponent = takeDigits(text);
    if (exponent < 1 || exponent > 2) return false;
  }
  return text.empty();
}

bool isJobName(std::string_view text) {
  if (text.empty() || !isLower(text.front()) || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return isLower(c) || isDigit(c) || c == '-'; });
}

bool isSha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool isFolder(std::string_view text) {
  bool is_first = true;  // of a name
  for (const char c : text) {
    const bool is_word = isDigit(c) || isLower(c) || (c >= 'A' && c <= 'Z') || c == '_';
    if (is_first && !is_word) return false;
    if (!is_word && c != '-' && c != '.' && c != '/') return false;
    is_first = c == '/';
  }
  return !is_first;
}

}  // namespace

constinit const Pattern kDecimalPattern{R"(^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$)",
                                        isDecimal};
constinit const Pattern kFolderPattern{
    "^[A-Za-z0-9_][-A-Za-z0-9_.]*(/[A-Za-z0-9_][-A-Za-z0-9_.]*)*$", isFolder};
constinit const Pattern kSha256Pattern{"^[0-9a-f]{64}$", isSha256};
constinit const Pattern kJobNamePattern{"^[a-z]([-a-z0-9]*[a-z0-9])?$", isJobName};

}  // namespace sumac::job
