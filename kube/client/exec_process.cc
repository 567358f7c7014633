#include "kube/client/exec_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core/units.h"
#include "base/process/spawn.h"

namespace sumac::kube {
namespace {

Error systemError(const std::string& attempt, int number) {
  const auto code = number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
  return Error{code, attempt + ": " + std::strerror(number)};
}

/// A started program; killed where it was not waited for.
class Child {
 public:
  Child(pid_t pid, bool has_group) : pid_(pid), has_group_(has_group) {}
  ~Child() {
    if (pid_ < 0) return;
    ::kill(has_group_ ? -pid_ : pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }

  /// Blocks; returns the status of waitpid().
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
  bool has_group_;
};

/// Collects a program's output until it ends or exceeds a limit.
class Output {
 public:
  Output(const ExecLimits& limits, const Clock& clock)
      : limits_(limits), clock_(clock), deadline_(clock.now() + limits.time) {}

  /// `ended`: a descriptor that can be read when the program has ended; -1 where the machine has
  /// none, then the end of the output is waited for.
  Result<std::string> collect(int fd, int ended) {
    while (true) {
      std::array<pollfd, 2> events = {{{fd, POLLIN, 0}, {ended, POLLIN, 0}}};
      const int count = ::poll(events.data(), events.size(), remaining());
      if (count < 0 && errno != EINTR) return systemError("cannot wait for it", errno);
      if (count == 0) {
        return Error{ErrorCode::kUnavailable, "it took longer than " + durationText(limits_.time)};
      }
      // What it wrote before its end is there to be read; a child of its may hold the pipe open.
      const bool is_over = events[1].revents != 0;
      const auto more = read(fd);
      if (!more) return more.error();
      // The end of its output does not end the process: it may continue without.
      if (!*more) fd = -1;
      if (is_over || (!*more && ended < 0)) return std::move(text_);
    }
  }

 private:
  int remaining() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - clock_.now()).count();
    return static_cast<int>(std::max<decltype(left)>(left, 0));
  }

  /// Whatever is there, without waiting; whether more may come.
  Result<bool> read(int fd) {
    std::array<char, 4096> buffer;
    while (fd >= 0) {
      const ssize_t got = ::read(fd, buffer.data(), buffer.size());
      if (got == 0) return false;
      if (got < 0 && errno == EAGAIN) return true;
      if (got < 0 && errno != EINTR) return systemError("cannot read its output", errno);
      if (got > 0) text_.append(buffer.data(), static_cast<std::size_t>(got));
      if (text_.size() > limits_.output) {
        return Error{ErrorCode::kInvalid,
                     "it printed more than " + std::to_string(limits_.output) + " bytes"};
      }
    }
    return false;
  }

  const ExecLimits& limits_;  // outlives us
  const Clock& clock_;        // outlives us
  const TimePoint deadline_;
  std::string text_;
};

Result<void> judge(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFSIGNALED(status)
                              ? "it was killed by signal " + std::to_string(WTERMSIG(status))
                              : "it ended with exit code " + std::to_string(WEXITSTATUS(status));
  return Error{ErrorCode::kUnavailable, how};
}

}  // namespace

Result<std::string> runProcess(const ExecProcess& process, const ExecLimits& limits,
                               const Clock& clock) {
  auto pipe = makePipe();
  if (!pipe) return pipe.error();
  ChildProgram program;
  program.program = process.program;
  program.arguments = process.arguments;
  program.variables = process.variables;
  program.descriptors = {{STDOUT_FILENO, pipe->write.get()}};
  if (process.has_input) program.descriptors.emplace(STDIN_FILENO, STDIN_FILENO);
  program.has_own_group = !process.has_input;
  const auto pid = startProgram(program);
  if (!pid) return pid.error();
  pipe->write.reset();
  Child child(*pid, program.has_own_group);
  // glibc 2.36 has no wrapper in its public headers of every system; old kernels have no call.
  const Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0)));
  auto text = Output(limits, clock).collect(pipe->read.get(), ended.get());
  if (!text) return text.error();
  if (const auto judged = judge(child.wait()); !judged) return judged.error();
  return text;
}

std::string findProgram(const std::string& command, const std::string& path) {
  if (command.find('/') != std::string::npos) return command;
  std::size_t at = 0;
  while (at <= path.size()) {
    const auto colon = std::min(path.find(':', at), path.size());
    const std::filesystem::path file = std::filesystem::path(path.substr(at, colon - at)) / command;
    std::error_code ignored;
    // Relative folders are left out: nobody wants a program of the current folder here.
    if (file.is_absolute() && std::filesystem::is_regular_file(file, ignored) &&
        ::access(file.c_str(), X_OK) == 0) {
      return file.string();
    }
    at = colon + 1;
  }
  return {};
}

}  // namespace sumac::kube
