#pragma once

#include <cstddef>
#include <string_view>

namespace sumac {

/// The beginning of a UTF-8 text: at most `most` bytes, never a part of a character.
std::string_view wholeCharacters(std::string_view text, std::size_t most);

}  // namespace sumac
