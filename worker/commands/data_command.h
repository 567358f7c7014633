#pragma once

#include <iosfwd>

#include "common/base/exit_code.h"

namespace sumac::worker {

/// `sumac data ...`: reads the command line from the word "data" on, runs the command, says on
/// `err` why it failed. Called once, by main.
ExitCode dataMode(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
