#pragma once

#include <string>

#include "cli/plan/plan.h"

namespace sumac::cli {

/// The command line that asks the same again, quoted for a shell.
std::string planCommand(const PlanOptions& options);

}  // namespace sumac::cli
