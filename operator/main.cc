// sumac-operator: runs the TrainingJobs of a cluster. The wiring is in process.cc.

#include <exception>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/stop_signal.h"
#include "common/kube/rest_transport.h"
#include "common/log/log.h"
#include "operator/program/flags.h"
#include "operator/program/process.h"

namespace sumac {
namespace {

/// Catches the exceptions that were not handled anywhere else.
OperatorEnd runOrCatch(const OperatorFlags& flags, const Log& log) {
  try {
    return runOperator(flags, log);
  } catch (const InvariantViolation& violation) {
    return {ExitCode::kBrokenInvariant, violation.what()};
  } catch (const std::exception& failure) {
    return {ExitCode::kFailed, failure.what()};
  }
}

int run(int argc, char** argv) {
  const auto parsed = parseOperatorFlags(argc, argv);
  if (const auto* code = std::get_if<ExitCode>(&parsed)) return toInt(*code);
  const OperatorFlags& flags = std::get<OperatorFlags>(parsed);
  keepMemorySmall();
  blockStopSignals();
  kube::initialiseHttp();
  const Log log = Log::toStderr(flags.log_level).with({"role", "operator"});

  const OperatorEnd end = runOrCatch(flags, log);
  if (end.code == ExitCode::kStopped) {
    log.info("done", {{"code", toInt(end.code)}, {"reason", end.reason}});
  } else {
    log.error("ended", {{"code", toInt(end.code)}, {"error", end.reason}});
  }
  return toInt(end.code);
}

}  // namespace
}  // namespace sumac

int main(int argc, char** argv) {
  return sumac::run(argc, argv);
}
