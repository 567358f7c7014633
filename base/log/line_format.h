#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/log/log.h"

namespace sumac {

/// A line as far as its level and message, without the time that the sink puts before it:
/// `info "gradient applied"` or `"severity":"INFO","message":"gradient applied"`.
std::string lineStart(LogFormat format, LogLevel level, std::string_view message);

/// Appends ` step=420` or `,"step":420`.
void appendField(std::string& line, LogFormat format, const LogField& field);

/// A JSON line of a Log as the text line that the same event would have been; nothing where the
/// line is something else, which includes JSON of other programs. `line` is not trusted: the result
/// has no control characters.
std::optional<std::string> textFromJsonLine(std::string_view line);

}  // namespace sumac
