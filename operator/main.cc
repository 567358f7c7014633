// sumac-operator: runs the TrainingJobs of a cluster. The parts are put together in
// operator/program/operator.cc.

#include <variant>

#include "base/process/memory.h"
#include "base/process/process_end.h"
#include "base/process/stop_signal.h"
#include "kube/client/rest_transport.h"
#include "operator/program/operator.h"
#include "operator/program/operator_flags.h"

namespace sumac::program {
namespace {

int run(int argc, char** argv) {
  const auto parsed = parseOperatorFlags(argc, argv);
  if (const auto* code = std::get_if<ExitCode>(&parsed)) return toInt(*code);
  const OperatorFlags& flags = std::get<OperatorFlags>(parsed);
  keepMemorySmall();
  blockStopSignals();
  kube::initialiseHttp();
  const Log log = flags.log.open().with({"role", "operator"});
  return reportEnd(runToEnd([&] { return runOperator(flags, log); }), log);
}

}  // namespace
}  // namespace sumac::program

int main(int argc, char** argv) {
  sumac::reportFailedResources();
  return sumac::program::run(argc, argv);
}
