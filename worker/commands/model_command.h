#pragma once

#include <iosfwd>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// `sumac models show MODEL`: prints what a model's file says of itself. Parses the command
/// line, whose first word is "model". Returns kBadConfiguration for a model or data that cannot be
/// used; the reason is on `err`. Called once, by main.
ExitCode modelCommand(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
