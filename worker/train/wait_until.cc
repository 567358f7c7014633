#include "worker/train/wait_until.h"

#include <cerrno>
#include <chrono>
#include <ctime>

#include <sys/prctl.h>

namespace sumac::worker {

void waitUntil(TimePoint due) {
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

void waitFor(double seconds) {
  waitUntil(SystemClock().now() +
            std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

void waitExactly() {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
}

}  // namespace sumac::worker
