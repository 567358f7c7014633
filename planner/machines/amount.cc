#include "planner/machines/amount.h"

#include <charconv>
#include <cstddef>
#include <span>
#include <string>

namespace sumac::planner {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// How amounts of one dimension are written.
struct Writing {
  std::span<const Unit> units;
  AmountRange range;
  std::string_view example;
  bool (*fits)(std::string_view text);
};

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kKibi = 1024;
constexpr double kMebi = kKibi * kKibi;
constexpr double kGibi = kKibi * kMebi;
constexpr double kBits = 8;  // of a byte
constexpr Unit kMemoryUnits[] = {
    {"Ki", kKibi},  {"Mi", kMebi},  {"Gi", kGibi},  {"Ti", kKibi* kGibi},
    {"KiB", kKibi}, {"MiB", kMebi}, {"GiB", kGibi}, {"TiB", kKibi* kGibi},
    {"K", 1e3},     {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
    {"T", 1e12}};
constexpr Unit kRateUnits[] = {{"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
constexpr Unit kBandwidthUnits[] = {{"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit kLinkUnits[] = {{"Mbit", 1e6 / kBits},   {"Gbit", 1e9 / kBits},
                               {"Tbit", 1e12 / kBits},  {"Mbit/s", 1e6 / kBits},
                               {"Gbit/s", 1e9 / kBits}, {"Tbit/s", 1e12 / kBits}};
constexpr Unit kTimeUnits[] = {{"us", 1e-6},     {"ms", 1e-3},   {"days", kDay}, {"s", 1},
                               {"min", kMinute}, {"m", kMinute}, {"h", kHour},   {"d", kDay}};

/// The number of an amount, times its unit; nothing where `text` is none.
std::optional<double> parsed(std::span<const Unit> units, std::string_view text) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = numberIn(text.substr(0, text.size() - unit.name.size()));
    if (number) return *number * unit.factor;
  }
  return std::nullopt;
}

template <const auto& kUnits>
bool fits(std::string_view text) {
  return parsed(kUnits, text).has_value();
}

// In the order of Dimension.
constexpr Writing kWritings[] = {
    {kMemoryUnits, {"16Mi", "64Ti"}, "16Gi", fits<kMemoryUnits>},
    {kRateUnits, {"1GFLOP/s", "1000PFLOP/s"}, "289GFLOP/s", fits<kRateUnits>},
    {kBandwidthUnits, {"100MB/s", "1000TB/s"}, "25GB/s", fits<kBandwidthUnits>},
    {kLinkUnits, {"1Mbit", "100Tbit"}, "100Mbit or 10Gbit", fits<kLinkUnits>},
    {kTimeUnits, {"0.1us", "1000ms"}, "50us", fits<kTimeUnits>},
    {kTimeUnits, {"1us", "36500d"}, "90s, 30min, 2h or 1.5d", fits<kTimeUnits>}};
static_assert(std::size(kWritings) == kDimensions.size());

const Writing& writingOf(Dimension dimension) {
  return kWritings[static_cast<std::size_t>(dimension)];
}

std::string expressionOf(Dimension dimension) {
  std::string names;
  for (const Unit& unit : writingOf(dimension).units)
    names += (names.empty() ? "" : "|") + std::string(unit.name);
  return R"(^[0-9]{1,20}(\.[0-9]{1,20})? ?()" + names + ")$";
}

bool isDigits(std::string_view text) {
  constexpr std::size_t kMostDigits = 20;
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789") == text.npos;
}

Error wrongAmount(const std::string& text, const std::string& wanted) {
  return Error{ErrorCode::kInvalid, "found " + text + ", must be " + wanted};
}

}  // namespace

AmountRange rangeOf(Dimension dimension) {
  return writingOf(dimension).range;
}

job::Pattern patternOf(Dimension dimension) {
  static const auto kExpressions = [] {
    std::array<std::string, kDimensions.size()> expressions;
    for (const Dimension each : kDimensions)
      expressions[static_cast<std::size_t>(each)] = expressionOf(each);
    return expressions;
  }();
  return {kExpressions[static_cast<std::size_t>(dimension)], writingOf(dimension).fits};
}

Result<double> amountIn(Dimension dimension, std::string_view text) {
  const Writing& writing = writingOf(dimension);
  const auto amount = parsed(writing.units, text);
  const std::string found(text);
  if (!amount)
    return wrongAmount('"' + found + '"',
                       "a number with its unit, such as " + std::string(writing.example));
  const auto& [least, most] = writing.range;
  if (*amount < parsed(writing.units, least) || *amount > parsed(writing.units, most))
    return wrongAmount(found, ">= " + std::string(least) + ", <= " + std::string(most));
  return *amount;
}

std::optional<double> numberIn(std::string_view text) {
  if (text.ends_with(' ')) text.remove_suffix(1);
  const auto point = text.find('.');
  if (!isDigits(text.substr(0, point))) return std::nullopt;
  if (point != text.npos && !isDigits(text.substr(point + 1))) return std::nullopt;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return number;
}

}  // namespace sumac::planner
