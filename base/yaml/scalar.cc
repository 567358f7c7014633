#include "base/yaml/scalar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>

namespace sumac::yaml {

namespace {

constexpr std::array<std::string_view, 11> kTrueWords = {
    "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
constexpr std::array<std::string_view, 11> kFalseWords = {
    "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNullWords = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNotFiniteWords = {".inf",  ".Inf",  ".INF",  "+.inf",
                                                              "+.Inf", "+.INF", "-.inf", "-.Inf",
                                                              "-.INF", ".nan",  ".NaN",  ".NAN"};

template <std::size_t size>
bool contains(const std::array<std::string_view, size>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

constexpr auto kMostPositive = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

/// The base given by a literal's prefix; removes the prefix.
int takeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char mark = static_cast<char>(std::tolower(static_cast<unsigned char>(digits[1])));
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

std::optional<Integer> parseInteger(std::string_view text) {
  if (text.empty() || !(isDigit(text[0]) || text[0] == '-' || text[0] == '+')) return std::nullopt;
  std::string plain(text);
  std::erase(plain, '_');
  std::string_view digits = plain;
  Integer result;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    result.negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  const int base = takeBase(digits);
  const char* const end = digits.data() + digits.size();
  const auto [stopped, problem] = std::from_chars(digits.data(), end, result.magnitude, base);
  if (digits.empty() || problem != std::errc() || stopped != end) return std::nullopt;
  if (result.negative && result.magnitude > kMostPositive + 1) return std::nullopt;
  return result;
}

/// goyaml's expression: ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool isDecimal(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && isDigit(text[at]))
      ++at;
    return at - from;
  };
  const auto sign = [&] {
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  };
  sign();
  const std::size_t whole = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    sign();
    if (digits() == 0) return false;
  }
  return at == text.size();
}

}  // namespace

Kind plainKind(std::string_view text) {
  if (contains(kNullWords, text)) return Kind::kNull;
  if (contains(kTrueWords, text) || contains(kFalseWords, text)) return Kind::kBoolean;
  if (isNotFinite(text)) return Kind::kDecimal;
  if (parseInteger(text)) return Kind::kInteger;
  std::string without_underscores(text);
  if (isDigit(text[0]) || text[0] == '-' || text[0] == '+') std::erase(without_underscores, '_');
  // Go does not read 1e999 as a number.
  const bool is_number = isDecimal(without_underscores) &&
                         std::isfinite(std::strtod(without_underscores.c_str(), nullptr));
  return is_number ? Kind::kDecimal : Kind::kString;
}

bool isNotFinite(std::string_view text) {
  return contains(kNotFiniteWords, text);
}

std::optional<std::int64_t> integerOf(const Node& node) {
  if (node.kind != Kind::kInteger) return std::nullopt;
  const auto parsed = parseInteger(node.text);
  if (!parsed) return std::nullopt;
  if (parsed->magnitude <= kMostPositive) {
    const auto value = static_cast<std::int64_t>(parsed->magnitude);
    return parsed->negative ? -value : value;
  }
  if (parsed->negative && parsed->magnitude == kMostPositive + 1) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return std::nullopt;
}

std::optional<std::uint64_t> unsignedOf(const Node& node) {
  const auto parsed = node.kind == Kind::kInteger ? parseInteger(node.text) : std::nullopt;
  if (!parsed || parsed->negative) return std::nullopt;
  return parsed->magnitude;
}

std::optional<bool> booleanOf(const Node& node) {
  if (node.kind != Kind::kBoolean) return std::nullopt;
  return contains(kTrueWords, node.text);
}

}  // namespace sumac::yaml
