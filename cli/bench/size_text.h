#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace sumac::cli {

/// Bytes from "248000", "248kB", "64MB" (powers of 1000), "64KiB" or "1MiB" (powers of 1024); a
/// space before the unit is allowed. Fails with kInvalid and the form.
Result<std::int64_t> bytesFromText(std::string_view text);

/// The shortest exact form: "248 kB", "64 MB", "1 MiB", "1001 B".
std::string sizeText(std::int64_t bytes);

}  // namespace sumac::cli
