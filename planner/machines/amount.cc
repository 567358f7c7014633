#include "planner/machines/amount.h"

#include <charconv>
#include <span>

#include "common/base/check.h"

namespace sumac::planner {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKibi = 1024;
constexpr Unit kMemoryUnits[] = {
    {"Mi", kKibi* kKibi}, {"Gi", kKibi* kKibi* kKibi}, {"Ti", kKibi* kKibi* kKibi* kKibi}};
constexpr Unit kRateUnits[] = {{"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
constexpr Unit kBandwidthUnits[] = {{"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit kLinkUnits[] = {{"Mbit", 1e6}, {"Gbit", 1e9}, {"Tbit", 1e12}};
constexpr Unit kTimeUnits[] = {{"us", 1e-6}, {"ms", 1e-3}};

std::span<const Unit> unitsOf(Dimension dimension) {
  switch (dimension) {
    case Dimension::kMemory: return kMemoryUnits;
    case Dimension::kRate: return kRateUnits;
    case Dimension::kBandwidth: return kBandwidthUnits;
    case Dimension::kLink: return kLinkUnits;
    case Dimension::kTime: return kTimeUnits;
  }
  failCheck("dimension is one of the enumerators", "unitsOf");
}

bool isDigits(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && text.find_first_not_of("0123456789") == text.npos;
}

/// "12" or "12.5": no sign, no exponent, few digits.
std::optional<double> numberIn(std::string_view text) {
  constexpr std::size_t kMostDigits = 6;
  constexpr std::size_t kMostDecimals = 3;
  const auto point = text.find('.');
  if (!isDigits(text.substr(0, point), kMostDigits)) return std::nullopt;
  if (point != text.npos && !isDigits(text.substr(point + 1), kMostDecimals)) return std::nullopt;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return number;
}

template <Dimension kDimension>
bool fits(std::string_view text) {
  return amountIn(kDimension, text).has_value();
}

}  // namespace

AmountRange rangeOf(Dimension dimension) {
  constexpr double kGibi = kKibi * kKibi * kKibi;
  switch (dimension) {
    case Dimension::kMemory: return {kGibi / 64, 64 * kKibi * kGibi, "16Mi", "64Ti"};
    case Dimension::kRate: return {1e9, 1e18, "1GFLOP/s", "1000PFLOP/s"};
    case Dimension::kBandwidth: return {1e8, 1e15, "100MB/s", "1000TB/s"};
    case Dimension::kLink: return {1e6, 1e14, "1Mbit", "100Tbit"};
    case Dimension::kTime: return {1e-7, 1, "0.1us", "1000ms"};
  }
  failCheck("dimension is one of the enumerators", "rangeOf");
}

job::Pattern patternOf(Dimension dimension) {
  switch (dimension) {
    case Dimension::kMemory:
      return {R"(^[0-9]{1,6}(\.[0-9]{1,3})?(Mi|Gi|Ti)$)", fits<Dimension::kMemory>};
    case Dimension::kRate:
      return {R"(^[0-9]{1,6}(\.[0-9]{1,3})?(GFLOP/s|TFLOP/s|PFLOP/s)$)", fits<Dimension::kRate>};
    case Dimension::kBandwidth:
      return {R"(^[0-9]{1,6}(\.[0-9]{1,3})?(MB/s|GB/s|TB/s)$)", fits<Dimension::kBandwidth>};
    case Dimension::kLink:
      return {R"(^[0-9]{1,6}(\.[0-9]{1,3})?(Mbit|Gbit|Tbit)$)", fits<Dimension::kLink>};
    case Dimension::kTime: return {R"(^[0-9]{1,6}(\.[0-9]{1,3})?(us|ms)$)", fits<Dimension::kTime>};
  }
  failCheck("dimension is one of the enumerators", "patternOf");
}

std::optional<double> amountIn(Dimension dimension, std::string_view text) {
  for (const Unit& unit : unitsOf(dimension)) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = numberIn(text.substr(0, text.size() - unit.name.size()));
    return number ? std::optional(*number * unit.factor) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sumac::planner
