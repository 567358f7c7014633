#pragma once

#include <string>
#include <variant>

#include "experiment/measure/figures.h"

namespace sumac::cli {

/// Why a run has no figures.
struct RunFailure {
  std::string cause;    // for people; the first line says it in short
  int stop_signal = 0;  // SIGINT, SIGTERM or SIGHUP where that ended it: nothing failed
};

using RunOutcome = std::variant<experiment::RunFigures, RunFailure>;

}  // namespace sumac::cli
