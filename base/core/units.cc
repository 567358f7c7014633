#include "base/core/units.h"

#include <algorithm>
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

}  // namespace

std::string fixedText(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

std::string groupedText(double value, int digits) {
  constexpr std::size_t kGroup = 3;
  std::string text = fixedText(value, digits);
  const auto begin = text.find_first_of("0123456789");
  if (begin == text.npos) return text;  // no number, but "inf" or "nan"
  for (auto at = std::min(text.find('.'), text.size()); at > begin + kGroup;)
    text.insert(at -= kGroup, 1, ',');
  return text;
}

std::string readableText(double value) {
  constexpr int kDigits = 4;
  constexpr int kMostDecimals = 9;
  if (value == 0 || !std::isfinite(value)) return fixedText(value, 0);
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return groupedText(value, std::clamp(kDigits - std::max(before_point, 1), 0, kMostDecimals) +
                                std::clamp(-before_point, 0, kMostDecimals - kDigits));
}

std::string digitsText(double value) {
  constexpr double kWhole = 100;  // from here on all digits before the point are shown
  constexpr double kExponents = 1e7;
  if (std::abs(value) >= kWhole && std::abs(value) < kExponents) return fixedText(value, 0);
  return fmt::format("{:.3g}", value);
}

std::string shortText(double value) {
  return fmt::format("{:.6g}", value);
}

std::string percentText(double share) {
  constexpr double kPercent = 100;
  constexpr double kOneDecimal = 10;
  const double percent = kPercent * share;
  return fixedText(percent, std::abs(percent) < kOneDecimal ? 1 : 0) + " %";
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

std::string bytesText(std::uint64_t bytes) {
  constexpr double kKibi = 1024;
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(bytes) / kKibi;
  const std::string_view* unit = std::begin(kUnits);
  for (; size >= kKibi && unit + 1 < std::end(kUnits); ++unit)
    size /= kKibi;
  return fmt::format("{:.1f} {}", size, *unit);
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

std::string speedText(double samples_per_second) {
  return digitsText(samples_per_second) + " samples/s";
}

}  // namespace sumac
