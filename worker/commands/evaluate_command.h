#pragma once

#include <iosfwd>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// `sumac evaluate`: prints how a trained model does on a data set. Parses the command
/// line, whose first word is "evaluate". Returns kBadConfiguration for a model or data that cannot
/// be used; the reason is on `err`. Called once, by main.
ExitCode evaluateCommand(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
