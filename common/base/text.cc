#include "common/base/text.h"

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

}  // namespace sumac
