#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "common/base/result.h"

namespace sumac::cli {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Both ends close on exec; the reading end does not block.
Result<Pipe> makePipe();

/// A program to start.
struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // without the program's name
  std::filesystem::path log;           // stdout and stderr, appended
  std::map<int, int> descriptors;      // number in the child, from 3 -> ours
};

/// Starts `command` in a process group of its own, with no signal blocked, stdin from /dev/null.
/// The kernel kills the child when we die, however that happens.
///
/// Requires a process with one thread: the kernel's rule is about the thread that forks, and
/// between fork and exec only async-signal-safe calls are made.
/// Fails when the program cannot be executed, with its path in the message.
Result<pid_t> startProcess(const Command& command);

}  // namespace sumac::cli
