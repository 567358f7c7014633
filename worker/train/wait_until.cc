#include "worker/train/wait_until.h"

#include <cerrno>
#include <chrono>
#include <ctime>

#include <sys/prctl.h>

namespace sumac::worker {
namespace {

void sleepUntil(TimePoint due) {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  const auto since = due.time_since_epoch();
  const auto whole = duration_cast<seconds>(since);
  const timespec time{.tv_sec = whole.count(),
                      .tv_nsec = duration_cast<nanoseconds>(since - whole).count()};
  // The clock of std::chrono::steady_clock.
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

}  // namespace

void waitUntil(TimePoint due, WorkCount* work) {
  const SystemClock clock;
  for (TimePoint piece = clock.now() + kCountEvery; work != nullptr && piece < due;
       piece += kCountEvery) {
    sleepUntil(piece);
    work->add();
  }
  sleepUntil(due);
  if (work != nullptr) work->add();
}

void waitFor(double seconds, WorkCount* work) {
  const auto wait = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  waitUntil(SystemClock().now() + wait, work);
}

void waitExactly() {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
}

}  // namespace sumac::worker
