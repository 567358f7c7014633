#include "cli/experiment/local_runner.h"

#include <ctime>
#include <utility>

#include "cli/experiment/cell_run.h"
#include "common/base/check.h"

namespace sumac::cli {
namespace {

/// As SIGHUP is under nohup: held back, it would wait for us all the same.
bool isIgnored(int signal) {
  struct sigaction current {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

// Ctrl-C and its like wait between two runs: a run's supervisor looks for them, and so do we.
LocalRunner::LocalRunner(LocalRunnerOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {
  ::sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!isIgnored(signal)) ::sigaddset(&held_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

LocalRunner::~LocalRunner() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

EndedRun LocalRunner::await() {
  SUMAC_CHECK(next_.has_value());
  const CellRun run = *std::exchange(next_, std::nullopt);
  const TimePoint begun = clock_.now();
  auto outcome = runCell(*run.cell,
                         {options_.programs, run.folder, options_.step_times, options_.warmup_steps,
                          options_.scale, options_.ask_memory},
                         clock_);
  return {run.id, std::move(outcome), clock_.now() - begun, {}};
}

int LocalRunner::takeSignal() {
  const timespec at_once{};
  const int signal = ::sigtimedwait(&held_, nullptr, &at_once);
  return signal > 0 ? signal : 0;
}

}  // namespace sumac::cli
