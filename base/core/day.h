#pragma once

#include <string_view>

namespace sumac {

/// Whether `text` has the shape of a day of this century, "2026-11-22".
bool looksLikeDay(std::string_view text);

/// Whether it looks like a day, and the calendar has it.
bool isDay(std::string_view text);

}  // namespace sumac
