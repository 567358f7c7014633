#include <sys/signalfd.h>
#include <unistd.h>

#include "base/process/question_signal.h"

namespace sumac {

bool takeQuestion(int fd) {
  signalfd_siginfo info{};
  return ::read(fd, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info));
}

}  // namespace sumac
