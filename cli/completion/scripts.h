#pragma once

#include <string_view>

namespace sumac::cli {

/// What `sumac completion` prints. The scripts ask `sumac __complete WORD...`, which answers as
/// Completion::text() says.
extern const std::string_view kBashCompletion;
extern const std::string_view kZshCompletion;
extern const std::string_view kFishCompletion;

}  // namespace sumac::cli
