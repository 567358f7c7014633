#include "base/process/question_signal.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <signal.h>
#include <sys/signalfd.h>

#include "base/core/check.h"

namespace sumac {

Result<Descriptor> openQuestions() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  SUMAC_CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
  Descriptor fd(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
  if (fd) return fd;
  return Error{ErrorCode::kUnavailable,
               std::string("cannot watch SIGUSR1: ") + std::strerror(errno)};
}

}  // namespace sumac
