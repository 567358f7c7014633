#pragma once

#include <iosfwd>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// `sumac predict`: prints the classes of what is in files, or goes on with a text. Parses the
/// command line, whose first word is "predict". Returns kBadConfiguration for a model or data that
/// cannot be used; the reason is on `err`. Called once, by main.
ExitCode predictCommand(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
