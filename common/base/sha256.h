#pragma once

#include <string>

#include "common/base/bytes.h"

namespace sumac {

/// SHA-256 of `data`, as 64 lower-case hexadecimal digits.
std::string sha256Hex(BytesView data);

}  // namespace sumac
