#pragma once

#include <string>

#include "common/base/exit_code.h"
#include "common/log/log.h"
#include "operator/program/flags.h"

namespace sumac {

struct OperatorEnd {
  ExitCode code = ExitCode::kStopped;
  std::string reason;
};

/// Runs the operator until SIGTERM, SIGINT or the loss of its lease. Requires blockStopSignals()
/// and kube::initialiseHttp(), in this order, before any other thread exists.
OperatorEnd runOperator(const OperatorFlags& flags, const Log& log);

}  // namespace sumac
