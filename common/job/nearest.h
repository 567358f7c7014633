#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sumac::job {

/// The name that `word` was probably meant to be; "" when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

/// "; did you mean `epochs`?", or "" when none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

}  // namespace sumac::job
