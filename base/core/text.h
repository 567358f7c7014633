#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sumac {

/// The beginning of a UTF-8 text: at most `most` bytes, never a part of a character.
std::string_view wholeCharacters(std::string_view text, std::size_t most);

/// The offset of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms,
/// no surrogates), or that is NUL; nothing if there is none.
std::optional<std::size_t> firstBadByte(std::string_view text);

/// A text for one line of a terminal, which moves no cursor and turns no direction: control
/// characters (U+007F to U+009F, too) and what Unicode has for line ends, directions and invisible
/// joints become spaces, and what is not UTF-8 becomes U+FFFD.
std::string printable(std::string_view text);

}  // namespace sumac
