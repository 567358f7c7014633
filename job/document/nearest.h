#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sumac::job {

/// The name most similar to `word`; "" if none is similar.
std::string nearest(std::string_view word, const std::vector<std::string>& names);

/// "; did you mean `epochs`?", or "" if no name is similar.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

}  // namespace sumac::job
