#include "cli/plan/plan_amounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>

namespace sumac::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kKibi = 1024;
constexpr double kMebi = kKibi * kKibi;
constexpr double kGibi = kKibi * kMebi;
constexpr double kBits = 8;
constexpr Unit kTimes[] = {{"us", 1e-6},     {"ms", 1e-3},   {"days", kDay}, {"s", 1},
                           {"min", kMinute}, {"m", kMinute}, {"h", kHour},   {"d", kDay}};
constexpr Unit kRates[] = {{"Mbit", 1e6 / kBits},   {"Gbit", 1e9 / kBits},
                           {"Tbit", 1e12 / kBits},  {"Mbit/s", 1e6 / kBits},
                           {"Gbit/s", 1e9 / kBits}, {"Tbit/s", 1e12 / kBits}};
constexpr Unit kMemories[] = {{"Ki", kKibi},  {"Mi", kMebi},  {"Gi", kGibi},  {"Ti", kKibi* kGibi},
                              {"KiB", kKibi}, {"MiB", kMebi}, {"GiB", kGibi}, {"TiB", kKibi* kGibi},
                              {"K", 1e3},     {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
                              {"T", 1e12}};

constexpr std::size_t kMostDigits = 20;

/// "12", "12.5": above 0, without sign and exponent; a space before the unit is left out.
std::optional<double> numberIn(std::string_view text) {
  if (text.ends_with(' ')) text.remove_suffix(1);
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  if (text.empty() || text.size() > kMostDigits || !std::ranges::all_of(text, is_part))
    return std::nullopt;
  double number = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end || number <= 0) return std::nullopt;
  return number;
}

std::optional<double> amountIn(std::string_view text, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = numberIn(text.substr(0, text.size() - unit.name.size()));
    if (number) return *number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> secondsIn(std::string_view text) {
  return amountIn(text, kTimes);
}

std::optional<double> linkRateIn(std::string_view text) {
  return amountIn(text, kRates);
}

std::optional<double> memoryIn(std::string_view text) {
  return amountIn(text, kMemories);
}

std::optional<Money> moneyIn(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto* const begin = std::ranges::find_if(text, is_letter);
  const std::string_view currency(begin, text.end());
  constexpr std::size_t kLetters = 3;  // ISO 4217
  if (currency.size() != kLetters || !std::ranges::all_of(currency, is_letter)) return std::nullopt;
  const auto amount = numberIn(text.substr(0, text.size() - kLetters));
  if (!amount) return std::nullopt;
  return Money{*amount, std::string(currency)};
}

std::optional<double> noiseIn(std::string_view text) {
  constexpr double kMost = 1e12;
  double samples = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, samples);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  // Also false of what is no number.
  if (!(samples > 0 && samples <= kMost)) return std::nullopt;
  return samples;
}

std::string plainText(double amount) {
  constexpr std::size_t kLongest = 512;  // a double has at most 309 digits, and as many decimals
  std::array<char, kLongest> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), amount, std::chars_format::fixed);
  return {text.data(), written.ptr};
}

double roundedUp(double amount) {
  constexpr int kDigits = 3;
  const int exponent = static_cast<int>(std::floor(std::log10(amount))) - (kDigits - 1);
  const double unit = std::pow(10.0, std::abs(exponent));
  // Powers of ten below 1 are divided by, since they have no exact value.
  return exponent < 0 ? std::ceil(amount * unit) / unit : std::ceil(amount / unit) * unit;
}

std::int64_t wholeSteps(double steps) {
  constexpr double kRounding = 1e-9;  // what a division leaves of a whole number
  return std::llround(std::ceil(steps * (1 - kRounding)));
}

}  // namespace sumac::cli
