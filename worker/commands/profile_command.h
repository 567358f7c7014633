#pragma once

#include <iosfwd>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// `sumac-worker profile`, for `sumac profile` and `sumac experiment`: measures how long a worker's
/// steps of the TrainingJob on `in` take without their exchange, and prints a profile without links
/// (job/profile) as JSON. What is being measured goes to `err`, a line each. With --dry-run it
/// measures nothing, and the profile says only what it would be of. Called once, by main.
ExitCode profileCommand(int argc, char** argv, std::istream& in, std::ostream& out,
                        std::ostream& err);

}  // namespace sumac::worker
