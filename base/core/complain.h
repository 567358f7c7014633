#pragma once

#include <ostream>
#include <string_view>

#include "base/core/error.h"
#include "base/core/exit_code.h"

namespace sumac {

/// Tells what failed as all our commands do; an empty message: that was told. Returns `code`.
inline ExitCode complain(std::ostream& err, std::string_view message, ExitCode code) {
  if (!message.empty()) err << "error: " << message << std::endl;
  return code;
}
inline ExitCode complain(std::ostream& err, const Error& error, ExitCode code) {
  return complain(err, error.message, code);
}

}  // namespace sumac
