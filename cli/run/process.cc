#include "cli/run/process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sumac::cli {
namespace {

// Above every number that a command may ask for, so that no dup2 closes what a later one needs.
constexpr int kSafeNumber = 64;

Error systemError(const std::string& attempt, int number) {
  const auto code = number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
  return Error{code, attempt + ": " + std::strerror(number)};
}

/// What the child needs, laid out before the fork: it may not allocate.
struct Prepared {
  std::vector<char*> arguments;
  std::vector<std::pair<int, int>> moves;  // number in the child, ours (all >= kSafeNumber)
  int failure = -1;                        // the pipe that tells why exec failed
  pid_t parent = 0;
};

[[noreturn]] void giveUp(const Prepared& prepared) {
  const int number = errno;
  const ssize_t written = ::write(prepared.failure, &number, sizeof number);
  ::_exit(written == sizeof number ? 127 : 126);
}

/// In the child: async-signal-safe calls only.
[[noreturn]] void becomeProgram(const char* program, const Prepared& prepared) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) giveUp(prepared);
  // The parent may have died before the line above.
  if (::getppid() != prepared.parent) ::_exit(126);
  if (::setpgid(0, 0) != 0) giveUp(prepared);
  for (const auto& [to, from] : prepared.moves) {
    if (::dup2(from, to) < 0) giveUp(prepared);
  }
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(program, prepared.arguments.data());
  giveUp(prepared);
}

/// A copy of `fd` that closes on exec, with a number out of everybody's way.
Result<Descriptor> safeCopy(int fd) {
  Descriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, kSafeNumber));
  if (!copy) return systemError("cannot copy a file descriptor", errno);
  return copy;
}

Result<Descriptor> openFor(const std::filesystem::path& path, int flags) {
  constexpr mode_t kMode = 0644;
  const Descriptor fd(::open(path.c_str(), flags | O_CLOEXEC, kMode));
  if (!fd) return systemError("cannot open " + path.string(), errno);
  return safeCopy(fd.get());
}

/// The reason why the child could not execute its program; 0 when it could.
int readFailure(int fd) {
  int number = 0;
  ssize_t got = 0;
  do {
    got = ::read(fd, &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  return got == sizeof number ? number : 0;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() {
  return std::exchange(fd_, -1);
}

void Descriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<Pipe> makePipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return systemError("cannot make a pipe", errno);
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  if (::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) {
    return systemError("cannot make a pipe", errno);
  }
  return pipe;
}

Result<pid_t> startProcess(const Command& command) {
  std::vector<Descriptor> held;
  Prepared prepared;
  const auto keep = [&](int to, Result<Descriptor> fd) -> Result<void> {
    if (!fd) return fd.error();
    prepared.moves.emplace_back(to, fd->get());
    held.push_back(*std::move(fd));
    return {};
  };
  if (auto kept = keep(STDIN_FILENO, openFor("/dev/null", O_RDONLY)); !kept) return kept.error();
  for (const int to : {STDOUT_FILENO, STDERR_FILENO}) {
    auto kept = keep(to, openFor(command.log, O_WRONLY | O_CREAT | O_APPEND));
    if (!kept) return kept.error();
  }
  for (const auto& [to, from] : command.descriptors) {
    if (auto kept = keep(to, safeCopy(from)); !kept) return kept.error();
  }
  int failure[2] = {-1, -1};
  if (::pipe2(failure, O_CLOEXEC) != 0) return systemError("cannot make a pipe", errno);
  const Descriptor failure_read(failure[0]);
  Descriptor failure_low(failure[1]);
  auto failure_write = safeCopy(failure_low.get());
  if (!failure_write) return failure_write.error();
  prepared.failure = failure_write->get();
  prepared.parent = ::getpid();
  const std::string program = command.program.string();
  std::vector<std::string> arguments = command.arguments;
  arguments.insert(arguments.begin(), program);
  for (std::string& argument : arguments)
    prepared.arguments.push_back(argument.data());
  prepared.arguments.push_back(nullptr);

  const pid_t pid = ::fork();
  if (pid == 0) becomeProgram(program.c_str(), prepared);
  if (pid < 0) return systemError("cannot start " + program, errno);
  // Ours must go, or the read below would wait for ourselves.
  failure_write->reset();
  failure_low.reset();
  if (const int number = readFailure(failure_read.get()); number != 0) {
    ::waitpid(pid, nullptr, 0);
    return systemError("cannot execute " + program, number);
  }
  return pid;
}

}  // namespace sumac::cli
