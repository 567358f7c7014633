#pragma once

#include <string>
#include <vector>

namespace sumac {

/// Columns aligned to the left and three spaces apart, as kubectl prints them; no space at a line's
/// end. Rows may be shorter than the header. Widths count code points of UTF-8.
std::string table(const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows);

}  // namespace sumac
