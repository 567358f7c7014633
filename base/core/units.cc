#include "base/core/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace sumac {
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
constexpr Scale kBitRates[] = {
    {1e9, 1e9, "Gbit/s"}, {1e6, 1e6, "Mbit/s"}, {1e3, 1e3, "kbit/s"}, {0, 1, "bit/s"}};
constexpr Scale kByteRates[] = {{1e12, 1e12, "TB/s"}, {1e9, 1e9, "GB/s"}, {0, 1e6, "MB/s"}};
constexpr Scale kOperations[] = {
    {1e15, 1e15, "PFLOP/s"}, {1e12, 1e12, "TFLOP/s"}, {0, 1e9, "GFLOP/s"}};

const Scale& scaleOf(double value, std::span<const Scale> scales) {
  return *std::ranges::find_if(scales.first(scales.size() - 1),
                               [value](const Scale& each) { return value >= each.from; });
}

std::string scaled(double value, std::span<const Scale> scales) {
  const Scale& scale = scaleOf(value, scales);
  return fmt::format("{} {}", digitsText(value / scale.unit), scale.name);
}

/// Puts commas between the thousands of "-1234.5".
std::string grouped(std::string text) {
  constexpr std::size_t kGroup = 3;
  const auto begin = text.find_first_of("0123456789");
  if (begin == text.npos || text.find('e') != text.npos) return text;  // "inf", "nan", "1e+20"
  for (auto at = std::min(text.find('.'), text.size()); at > begin + kGroup;)
    text.insert(at -= kGroup, 1, ',');
  return text;
}

}  // namespace

std::string fixedText(double value, int digits) {
  constexpr double kExponents = 1e15;
  return std::abs(value) < kExponents || !std::isfinite(value)
             ? fmt::format("{:.{}f}", value, digits)
             : fmt::format("{:.{}e}", value, digits);
}

std::string groupedText(double value, int digits) {
  return grouped(fixedText(value, digits));
}

std::string countText(std::int64_t count) {
  return grouped(fmt::format("{}", count));
}

std::string readableText(double value) {
  constexpr int kDigits = 4;
  constexpr int kMostDecimals = 9;
  if (value == 0 || !std::isfinite(value)) return fixedText(value, 0);
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return groupedText(value, std::clamp(kDigits - std::max(before_point, 1), 0, kMostDecimals) +
                                std::clamp(-before_point, 0, kMostDecimals - kDigits));
}

std::string digitsText(double value, int digits) {
  constexpr double kExponents = 1e7;
  const double whole = std::pow(10.0, digits - 1);  // from here on no digits after the point
  if (std::abs(value) >= whole && std::abs(value) < kExponents) return fixedText(value, 0);
  return fmt::format("{:.{}g}", value, digits);
}

std::string shortText(double value) {
  return fmt::format("{:.6g}", value);
}

std::string exactText(double value) {
  std::array<char, 32> text{};  // such a text has at most 24 characters
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string hexText(std::uint64_t value, int digits) {
  return fmt::format("{:0{}x}", value, digits);
}

std::string percentText(double share) {
  constexpr double kOneDecimal = 0.1;
  return percentText(share, std::abs(share) < kOneDecimal ? 1 : 0);
}

std::string percentText(double share, int digits) {
  constexpr double kPercent = 100;
  return fixedText(kPercent * share, digits) + " %";
}

std::string marginText(double share) {
  return "± " + percentText(share);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string durationText(double seconds) {
  return seconds == 0 ? "0 s" : scaled(seconds, kTimes);
}

std::string aboutText(double seconds) {
  const bool is_short = seconds < 2 * kMinute;
  return "about " + fixedText(std::ceil(is_short ? seconds : seconds / kMinute), 0) +
         (is_short ? " s" : " min");
}

std::string microsecondsText(double seconds) {
  constexpr double kMicro = 1e6;
  constexpr double kFew = 100;
  const double us = seconds * kMicro;
  return fixedText(us, us < kFew ? 1 : 0);
}

std::string bytesText(double bytes) {
  constexpr double kKibi = 1024;
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = bytes / kKibi;
  const std::string_view* unit = std::begin(kUnits);
  for (; std::abs(size) >= kKibi && unit + 1 < std::end(kUnits); ++unit)
    size /= kKibi;
  return fmt::format("{} {}", fixedText(size, 1), *unit);
}

std::string bitRateText(double bits_per_second) {
  const Scale& scale = scaleOf(bits_per_second, kBitRates);
  return fmt::format("{:.4g} {}", bits_per_second / scale.unit, scale.name);
}

std::string byteRateText(double bytes_per_second) {
  return scaled(bytes_per_second, kByteRates);
}

std::string operationsText(double operations_per_second) {
  return scaled(operations_per_second, kOperations);
}

}  // namespace sumac
