#include "cli/plan/plan_amounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "planner/machines/amount.h"

namespace sumac::cli {
namespace {

/// "11.7min", at least so many seconds.
std::string durationOption(double seconds) {
  constexpr double kSecondsOfMinute = 60;
  constexpr double kSecondsOfHour = 3600;
  constexpr double kMinutesFrom = 120;
  constexpr double kHoursFrom = 7200;
  if (seconds >= kHoursFrom) return plainText(roundedUp(seconds / kSecondsOfHour)) + "h";
  if (seconds >= kMinutesFrom) return plainText(roundedUp(seconds / kSecondsOfMinute)) + "min";
  return plainText(roundedUp(seconds)) + "s";
}

}  // namespace

Result<Money> moneyIn(std::string_view text) {
  constexpr std::size_t kLetters = 3;  // ISO 4217
  const std::string_view currency = text.substr(std::max(text.size(), kLetters) - kLetters);
  const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto amount = planner::numberIn(text.substr(0, text.size() - currency.size()));
  if (!amount || *amount <= 0 || !std::ranges::all_of(currency, is_letter))
    return Error{ErrorCode::kInvalid, "found \"" + std::string(text) +
                                          "\", must be a number above 0 with its currency, such "
                                          "as 12.50USD"};
  return Money{*amount, std::string(currency)};
}

Result<double> noiseIn(std::string_view text) {
  double samples = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, samples);
  // A comparison that is also false of what is no number.
  if (read.ec == std::errc() && read.ptr == end && samples > 0 && samples <= kMostNoise)
    return samples;
  return Error{ErrorCode::kInvalid,
               "found \"" + std::string(text) + "\", must be a number of samples > 0, <= 1e12"};
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

std::string limitOptions(const planner::EnoughLimits& limits, const std::string& currency) {
  constexpr double kMebi = 1024.0 * 1024;
  std::string text;
  if (limits.deadline_seconds) text += " --deadline " + durationOption(*limits.deadline_seconds);
  if (limits.budget) text += " --budget " + plainText(roundedUp(*limits.budget)) + currency;
  if (limits.memory_bytes)
    text += " --memory " + plainText(roundedUp(static_cast<double>(*limits.memory_bytes) / kMebi)) +
            "Mi";
  return text.substr(1);
}

}  // namespace sumac::cli
