#include "cli/plan/plan_amounts.h"

#include <algorithm>
#include <charconv>
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
constexpr double kKibi = 1024;
constexpr double kBits = 8;
constexpr Unit kTimes[] = {{"s", 1}, {"m", kMinute}, {"h", kHour}, {"d", 24 * kHour}};
constexpr Unit kRates[] = {{"Mbit", 1e6 / kBits}, {"Gbit", 1e9 / kBits}, {"Tbit", 1e12 / kBits}};
constexpr Unit kMemories[] = {
    {"Mi", kKibi* kKibi}, {"Gi", kKibi* kKibi* kKibi}, {"Ti", kKibi* kKibi* kKibi* kKibi}};

constexpr std::size_t kMostDigits = 15;

/// "12", "12.5": above 0, without sign and exponent.
std::optional<double> numberIn(std::string_view text) {
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

}  // namespace sumac::cli
