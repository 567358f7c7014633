#pragma once

#include <ostream>
#include <string_view>

#include "base/core/error.h"
#include "base/core/exit_code.h"

namespace sumac {

/// Tells a user what failed, as all our commands do. An empty message says nothing: the user knows
/// already. Returns `code`.
inline ExitCode complain(std::ostream& err, std::string_view message, ExitCode code) {
  if (!message.empty()) err << "error: " << message << std::endl;
  return code;
}
inline ExitCode complain(std::ostream& err, const Error& error, ExitCode code) {
  return complain(err, error.message, code);
}

}  // namespace sumac
