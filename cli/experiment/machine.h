#pragma once

#include <string>

#include "experiment/report/files.h"

namespace sumac::cli {

/// This machine and this version of Sumac; `command` is what measures again.
experiment::Origin thisMachine(std::string command);

}  // namespace sumac::cli
