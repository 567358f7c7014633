#pragma once

#include <iosfwd>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// `sumac data ...`: parses the command line, whose first word is "data", and runs the command. If
/// it fails, the reason is on `err`. Called once, by main.
ExitCode dataCommand(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
