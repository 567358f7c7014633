#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/core/descriptor.h"
#include "base/core/result.h"

namespace sumac {

/// A program to start. No shell is involved.
struct ChildProgram {
  std::filesystem::path program;
  std::vector<std::string> arguments;  // without the program's name
  /// Its whole environment; none: ours.
  std::optional<std::map<std::string, std::string>> variables = std::nullopt;
  /// Number in the child (below 32) -> ours. Without 0 it reads /dev/null; without 1 and 2 it
  /// writes where we do. It gets no other descriptor.
  std::map<int, int> descriptors = {};
  /// In a process group of its own, so that its children can be killed with it. A program that
  /// reads from the terminal must stay in ours.
  bool has_own_group = true;
  /// The kernel kills it when the thread that started it ends, however that happens.
  bool dies_with_us = false;
  /// Descriptor of the network namespace that it runs in; -1: ours.
  int network = -1;
};

/// Starts `child` with no signal blocked and returns its process id, which the caller must wait
/// for. Safe from any thread. Fails with kNotFound where there is no such program, else with
/// kUnavailable; nothing is left running then.
Result<pid_t> startProgram(const ChildProgram& child);

/// Becomes another program, which gets our terminal, signals and exit status. Returns only when it
/// cannot be executed: with kNotFound where there is no such program.
Error becomeProgram(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments);

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Both ends close on exec; the reading end does not block.
Result<Pipe> makePipe();

/// A file in memory, empty, which its name only describes; closes on exec.
Result<Descriptor> makeMemoryFile(const std::string& name);

/// Opens a file for appending, made where it is missing; closes on exec.
Result<Descriptor> openToAppend(const std::filesystem::path& path);

}  // namespace sumac
