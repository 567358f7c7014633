#include "base/process/question_signal.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

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

bool takeQuestion(int fd) {
  signalfd_siginfo info{};
  return ::read(fd, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info));
}

}  // namespace sumac
