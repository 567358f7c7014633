#include "base/core/text.h"

#include <array>
#include <cstdio>

namespace sumac {

std::string_view wholeCharacters(std::string_view text, std::size_t most) {
  constexpr unsigned kContinuationMask = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  if (text.size() <= most) return text;
  while (most > 0 &&
         (static_cast<unsigned char>(text[most]) & kContinuationMask) == kContinuation) {
    --most;
  }
  return text.substr(0, most);
}

std::string counted(std::int64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  text += noun;
  return count == 1 ? text : text + "s";
}

std::string bytesText(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit)
    size /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", size, kUnits.at(unit));
  return text.data();
}

}  // namespace sumac
