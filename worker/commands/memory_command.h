#pragma once

#include <iosfwd>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// `sumac-worker memory`, for `sumac validate` and `sumac models show`: prints the memory that a
/// worker needs for the TrainingJob on `in`, or for a network of the zoo (--model), as one JSON
/// object. The data set is not counted, and none of that memory is allocated. Called once, by main.
ExitCode memoryCommand(int argc, char** argv, std::istream& in, std::ostream& out,
                       std::ostream& err);

}  // namespace sumac::worker
