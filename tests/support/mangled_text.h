#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace sumac {

/// A text with one thing wrong: another character, some missing, or a part of it once more. For
/// readers that no text may bring down. Requires a text that is not empty.
inline std::string mangled(const std::string& whole, std::mt19937& random) {
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  std::string text = whole;
  const std::size_t at = below(text.size());
  switch (below(3)) {
    case 0: text[at] = static_cast<char>(below(256)); break;
    case 1: text.erase(at, 1 + below(20)); break;
    default: text.insert(at, whole, below(whole.size()), 1 + below(30));
  }
  return text;
}

}  // namespace sumac
