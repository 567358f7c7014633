#pragma once

#include <string_view>

namespace sumac::cli {

/// What `sumac completion` prints. Both scripts ask `sumac __complete WORD...`, which answers as
/// Completion::text() says.
extern const std::string_view kBashCompletion;
extern const std::string_view kZshCompletion;

}  // namespace sumac::cli
