#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sumac {

/// The beginning of a UTF-8 text: at most `most` bytes, never a part of a character.
std::string_view wholeCharacters(std::string_view text, std::size_t most);

/// The offset of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms,
/// no surrogates), or that is NUL; nothing if there is none.
std::optional<std::size_t> firstBadByte(std::string_view text);

/// "1 worker", "2 workers": a count and a noun whose plural ends in s.
std::string counted(std::int64_t count, std::string_view noun);

/// A number of bytes with one decimal in binary units: "1.4 GiB".
std::string bytesText(std::uint64_t bytes);

}  // namespace sumac
