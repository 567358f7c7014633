#pragma once

#include <iosfwd>

#include "common/base/exit_code.h"

namespace sumac::worker {

/// `sumac-worker memory`, for `sumac validate` and `sumac models show`: prints what a worker needs
/// for the TrainingJob on `in`, or for a network of the zoo (--model), as one JSON object. The data
/// set is not counted. Takes none of that memory. Called once, by main.
ExitCode memoryMode(int argc, char** argv, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
