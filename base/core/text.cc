#include "base/core/text.h"

#include <algorithm>
#include <cstdint>

namespace sumac {
namespace {

std::uint8_t byteAt(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

/// The length of the well-formed sequence at `at`; 0 if there is none.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
  const std::uint8_t lead = byteAt(text, at);
  if (lead == 0) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byteAt(text, at + i) & 0xC0) != 0x80) return 0;
  }
  const std::uint8_t second = byteAt(text, at + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

/// Whether a character moves the cursor, or turns or hides what stands beside it.
bool isHidden(std::string_view one) {
  const auto lies = [one](std::string_view first, std::string_view last) {
    return one.size() == first.size() && one >= first && one <= last;
  };
  return lies(std::string_view("\0", 1), "\x1f") || one == "\x7f" || lies("\xc2\x80", "\xc2\x9f") ||
         one == "\xd8\x9c" || lies("\xe2\x80\x8b", "\xe2\x80\x8f") ||
         lies("\xe2\x80\xa8", "\xe2\x80\xae") || lies("\xe2\x81\xa0", "\xe2\x81\xaf");
}

}  // namespace

std::optional<std::size_t> firstBadByte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequenceLength(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

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

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequenceLength(text, at);  // 0 of NUL, too
    const std::string_view one = text.substr(at, std::max<std::size_t>(length, 1));
    out += isHidden(one) ? " " : length == 0 ? "\xEF\xBF\xBD" : one;
    at += one.size();
  }
  return out;
}

}  // namespace sumac
