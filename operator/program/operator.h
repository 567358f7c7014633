#pragma once

#include "base/log/log.h"
#include "base/process/process_end.h"
#include "operator/program/operator_flags.h"

namespace sumac::program {

/// Runs the operator until SIGTERM, SIGINT or the loss of its lease. Requires blockStopSignals()
/// and kube::initialiseHttp(), called in this order before any other thread existed.
ProcessEnd runOperator(const OperatorFlags& flags, const Log& log);

}  // namespace sumac::program
