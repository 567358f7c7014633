#include "base/process/stop_signal.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <signal.h>
#include <sys/signalfd.h>

#include "base/core/check.h"

namespace sumac {
namespace {

sigset_t stopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

void waitForSignals(const std::stop_token& stop, const std::function<void()>& onStop,
                    Duration limit, const std::function<void()>& onOverdue) {
  const sigset_t signals = stopSignals();
  const timespec patience{.tv_sec = 0, .tv_nsec = 50'000'000};  // how long our own end may take
  std::optional<TimePoint> due;
  bool told = false;
  while (!stop.stop_requested()) {
    const bool asked = sigtimedwait(&signals, nullptr, &patience) > 0;
    const TimePoint now = std::chrono::steady_clock::now();
    if (asked && !due) due = now + limit;
    if (asked) onStop();
    if (!due || told || !onOverdue || now < *due) continue;
    told = true;
    onOverdue();
  }
}

}  // namespace

void blockStopSignals() {
  const sigset_t signals = stopSignals();
  SUMAC_CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
}

Result<Descriptor> openStopSignals() {
  blockStopSignals();
  const sigset_t signals = stopSignals();
  Descriptor fd(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
  if (fd) return fd;
  return Error{ErrorCode::kUnavailable,
               std::string("cannot watch signals: ") + std::strerror(errno)};
}

StopSignal::StopSignal(std::function<void()> onStop, Duration limit,
                       std::function<void()> onOverdue)
    : thread_([on_stop = std::move(onStop), limit,
               on_overdue = std::move(onOverdue)](const std::stop_token& stop) {
        waitForSignals(stop, on_stop, limit, on_overdue);
      }) {}

}  // namespace sumac
