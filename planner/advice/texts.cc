#include "planner/advice/texts.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>

#include "base/core/text.h"

namespace sumac::planner {
namespace {

struct Scale {
  double from;  // the smallest value that is written so
  double unit;
  std::string_view name;
};

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
// Largest first; what is smaller than the last one has its unit all the same.
constexpr Scale kTimes[] = {
    {3 * kDay, kDay, "days"}, {2 * kHour, kHour, "h"}, {2 * kMinute, kMinute, "min"}, {1, 1, "s"},
    {1e-3, 1e-3, "ms"},       {0, 1e-6, "us"}};
constexpr Scale kRates[] = {{1e9, 1e9, "Gbit/s"}, {0, 1e6, "Mbit/s"}};
constexpr Scale kOperations[] = {
    {1e15, 1e15, "PFLOP/s"}, {1e12, 1e12, "TFLOP/s"}, {0, 1e9, "GFLOP/s"}};
constexpr Scale kBandwidths[] = {{1e12, 1e12, "TB/s"}, {1e9, 1e9, "GB/s"}, {0, 1e6, "MB/s"}};

std::string scaled(double value, std::span<const Scale> scales) {
  for (const Scale& scale : scales) {
    if (value >= scale.from) return digitsText(value / scale.unit) + " " + std::string(scale.name);
  }
  return digitsText(value) + " " + std::string(scales.back().name);
}

/// With so many decimals.
std::string fixed(double value, int decimals) {
  constexpr std::size_t kLongest = 64;
  std::array<char, kLongest> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

/// With so many significant digits.
std::string rounded(double value, int digits) {
  constexpr std::size_t kLongest = 64;
  std::array<char, kLongest> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

}  // namespace

std::string digitsText(double value) {
  constexpr int kDigits = 3;
  constexpr double kWhole = 100;  // from here on all digits before the point are shown
  constexpr double kExponents = 1e7;
  if (std::abs(value) >= kWhole && std::abs(value) < kExponents) return fixed(value, 0);
  return rounded(value, kDigits);
}

std::string durationText(double seconds) {
  if (seconds == 0) return "0 s";
  return scaled(seconds, kTimes);
}

std::string percentText(double share) {
  constexpr double kPercent = 100;
  constexpr double kOneDecimal = 10;
  const double percent = kPercent * share;
  return fixed(percent, std::abs(percent) < kOneDecimal ? 1 : 0) + " %";
}

std::string marginText(double share) {
  return "± " + percentText(share);
}

std::string moneyText(double amount, std::string_view currency) {
  constexpr double kLarge = 1e7;
  constexpr int kDigits = 3;
  const bool is_plain = amount == 0 || (amount >= 1 && amount < kLarge);
  return (is_plain ? fixed(amount, 2) : rounded(amount, kDigits)) + " " + std::string(currency);
}

std::string givenMoneyText(double amount, std::string_view currency) {
  constexpr int kCents = 2;
  constexpr int kMost = 9;  // what is typed has no more
  constexpr double kExact = 1e-9;
  int decimals = kCents;
  for (double unit = 1e-2;
       decimals < kMost && std::abs(std::round(amount / unit) * unit - amount) > kExact * amount;
       unit /= 10)
    ++decimals;
  return fixed(amount, decimals) + " " + std::string(currency);
}

std::string memoryText(std::int64_t bytes) {
  return bytesText(static_cast<std::uint64_t>(bytes));
}

std::string linkText(double bytes_per_second) {
  constexpr double kBits = 8;
  return scaled(kBits * bytes_per_second, kRates);
}

std::string operationsText(double operations_per_second) {
  return scaled(operations_per_second, kOperations);
}

std::string bandwidthText(double bytes_per_second) {
  return scaled(bytes_per_second, kBandwidths);
}

std::string speedText(double samples_per_second) {
  return digitsText(samples_per_second) + " samples/s";
}

}  // namespace sumac::planner
