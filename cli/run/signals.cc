#include "cli/run/signals.h"

#include <initializer_list>

#include <sys/signalfd.h>
#include <unistd.h>

namespace sumac::cli {
namespace {

/// Whether we should survive the end of the terminal, as under nohup.
bool isHangupIgnored() {
  struct sigaction current {};
  return ::sigaction(SIGHUP, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() {
  sigset_t watched;
  ::sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD})
    ::sigaddset(&watched, signal);
  if (!isHangupIgnored()) ::sigaddset(&watched, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &watched, &before_);
  fd_ = Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
}

Signals::~Signals() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int Signals::next() const {
  signalfd_siginfo info{};
  const ssize_t got = ::read(fd_.get(), &info, sizeof info);
  return got == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace sumac::cli
