#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/yaml/node.h"

namespace sumac::yaml {

/// What an unquoted scalar means to kubectl (goyaml v2): YAML 1.1's boolean words, `null`, integers
/// as Go reads them with base 0 (`0x`, `0o`, `0b`, a leading 0 is octal, underscores ignored),
/// decimals that a double holds, else a string. A date stays a string.
Kind plainKind(std::string_view text);

/// Whether an unquoted scalar is one of `.inf`, `.nan`: numbers that JSON does not have.
bool isNotFinite(std::string_view text);

/// The value of a kInteger node; nothing when the node is of another kind or does not fit.
std::optional<std::int64_t> integerOf(const Node& node);

/// The same of an integer that is not negative; of 64 bits.
std::optional<std::uint64_t> unsignedOf(const Node& node);

/// The value of a kBoolean node; nothing when the node is of another kind.
std::optional<bool> booleanOf(const Node& node);

}  // namespace sumac::yaml
