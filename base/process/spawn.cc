#include "base/process/spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core/check.h"

namespace sumac {
namespace {

// Above every number in the child, so that no dup2 there closes what a later one needs.
constexpr int kSafeNumber = 64;
constexpr int kMostNumber = 31;

Error systemError(const std::string& attempt, int number) {
  if (number == ENOEXEC) {
    return Error{ErrorCode::kInvalid, attempt +
                                          ": it is no program of this machine, and its first "
                                          "line names no interpreter, such as #!/bin/sh"};
  }
  const auto code = number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable;
  return Error{code, attempt + ": " + std::strerror(number)};
}

/// The words of a command line: a program and its arguments.
std::vector<std::string> wordsOf(const std::string& program,
                                 const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program};
  words.reserve(1 + arguments.size());
  for (const std::string& argument : arguments)
    words.push_back(argument);
  return words;
}

/// A null-terminated array of pointers into `texts`, as exec takes it.
std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What the child needs, laid out before the fork: it may not allocate.
struct Prepared {
  std::string program;
  std::vector<char*> arguments;
  char** variables = nullptr;
  std::vector<std::pair<int, int>> moves;  // number in the child, rising; ours, >= kSafeNumber
  int failure = -1;                        // the pipe that tells why exec failed, >= kSafeNumber
  pid_t parent = 0;
  bool has_own_group = true;
  bool dies_with_us = false;
  int network = -1;  // the child's copy of ours
};

[[noreturn]] void giveUp(int failure) {
  const int number = errno;
  const ssize_t written = ::write(failure, &number, sizeof number);
  ::_exit(written == sizeof number ? 127 : 126);
}

/// In the child: leaves the descriptors of `prepared` and, closing on exec, the failure pipe, whose
/// number it returns.
int arrangeDescriptors(const Prepared& prepared) {
  int next = 0;
  for (const auto& [to, from] : prepared.moves) {
    for (; next < to; ++next) {
      if (next > STDERR_FILENO) ::close(next);
    }
    if (::dup2(from, to) < 0) giveUp(prepared.failure);
    next = to + 1;
  }
  const int failure = std::max(next, STDERR_FILENO + 1);
  if (::dup3(prepared.failure, failure, O_CLOEXEC) < 0) giveUp(prepared.failure);
  ::closefrom(failure + 1);
  return failure;
}

/// In the child, which may be a copy of one thread of many: async-signal-safe calls only.
[[noreturn]] void execute(const Prepared& prepared) {
  if (prepared.dies_with_us) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) giveUp(prepared.failure);
    // The parent may have died before the line above.
    if (::getppid() != prepared.parent) ::_exit(126);
  }
  if (prepared.has_own_group && ::setpgid(0, 0) != 0) giveUp(prepared.failure);
  if (prepared.network >= 0 && ::setns(prepared.network, CLONE_NEWNET) != 0)
    giveUp(prepared.failure);
  const int failure = arrangeDescriptors(prepared);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (const int signal : {SIGPIPE, SIGXFSZ})
    ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(prepared.program.c_str(), prepared.arguments.data(), prepared.variables);
  giveUp(failure);
}

/// A copy of `fd` that closes on exec, with a number above all of the child's.
Result<Descriptor> safeCopy(int fd) {
  Descriptor copy(::fcntl(fd, F_DUPFD_CLOEXEC, kSafeNumber));
  const int number = copy ? 0 : errno;
  // EINVAL: kSafeNumber is above the limit.
  if (number == EINVAL || number == EMFILE) {
    return Error{ErrorCode::kUnavailable,
                 "the limit of open files is too low; raise it, for example with `ulimit -n 1024`"};
  }
  if (!copy) return systemError("cannot copy a file descriptor", number);
  return copy;
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

/// Copies of all descriptors of the child, which `prepared` then names.
Result<std::vector<Descriptor>> holdDescriptors(const ChildProgram& child, Prepared& prepared) {
  auto wanted = child.descriptors;
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) return systemError("cannot open /dev/null", errno);
  wanted.emplace(STDIN_FILENO, nothing.get());
  std::vector<Descriptor> held;
  for (const auto& [to, from] : wanted) {
    SUMAC_CHECK(to >= 0 && to <= kMostNumber, to);
    auto copy = safeCopy(from);
    if (!copy) return copy.error();
    prepared.moves.emplace_back(to, copy->get());
    held.push_back(*std::move(copy));
  }
  return held;
}

}  // namespace

Result<pid_t> startProgram(const ChildProgram& child) {
  Prepared prepared;
  const auto held = holdDescriptors(child, prepared);
  if (!held) return held.error();
  int failure[2] = {-1, -1};
  if (::pipe2(failure, O_CLOEXEC) != 0) return systemError("cannot create a pipe", errno);
  const Descriptor failure_read(failure[0]);
  Descriptor failure_low(failure[1]);
  auto failure_write = safeCopy(failure_low.get());
  if (!failure_write) return failure_write.error();
  failure_low.reset();

  prepared.failure = failure_write->get();
  prepared.parent = ::getpid();
  prepared.has_own_group = child.has_own_group;
  prepared.dies_with_us = child.dies_with_us;
  prepared.network = child.network;
  prepared.program = child.program.string();
  std::vector<std::string> arguments = wordsOf(prepared.program, child.arguments);
  prepared.arguments = pointersTo(arguments);
  std::vector<std::string> variables;
  if (child.variables) {
    for (const auto& [name, value] : *child.variables)
      variables.push_back(name + "=" + value);
  }
  std::vector<char*> variable_pointers = pointersTo(variables);
  prepared.variables = child.variables ? variable_pointers.data() : environ;

  const pid_t pid = ::fork();
  if (pid == 0) execute(prepared);
  if (pid < 0) return systemError("cannot start " + prepared.program, errno);
  // Ours must go, or the read below would wait for ourselves.
  failure_write->reset();
  if (const int number = readFailure(failure_read.get()); number != 0) {
    ::waitpid(pid, nullptr, 0);
    return systemError("cannot execute " + prepared.program, number);
  }
  return pid;
}

Error becomeProgram(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments) {
  std::vector<std::string> words = wordsOf(program.string(), arguments);
  ::execv(program.c_str(), pointersTo(words).data());
  return systemError("cannot execute " + program.string(), errno);
}

Result<Pipe> makePipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return systemError("cannot create a pipe", errno);
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  if (::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) {
    return systemError("cannot create a pipe", errno);
  }
  return pipe;
}

Result<Descriptor> makeMemoryFile(const std::string& name) {
  Descriptor file(::memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!file) return systemError("cannot create a file in memory", errno);
  return file;
}

Result<Descriptor> openToAppend(const std::filesystem::path& path) {
  constexpr mode_t kMode = 0644;
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode));
  if (!fd) return systemError("cannot open " + path.string(), errno);
  return fd;
}

}  // namespace sumac
