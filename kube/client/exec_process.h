#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"

namespace sumac::kube {

/// A program that prints something on standard output; no shell is involved.
struct ExecProcess {
  std::string program;  // a path
  std::vector<std::string> arguments;
  std::map<std::string, std::string> variables;  // its whole environment
  bool has_input = false;                        // our standard input, else /dev/null
};

struct ExecLimits {
  Duration time = std::chrono::seconds(60);
  std::size_t output = std::size_t{1} << 20U;
};

/// Runs it to its end and returns what it printed; its standard error is ours. A program that
/// exceeds a limit is killed, with its children where it does not read our input. Fails with
/// kNotFound where the program does not exist, else with what went wrong. Blocks; safe from any
/// thread.
Result<std::string> runProcess(const ExecProcess& process, const ExecLimits& limits,
                               const Clock& clock);

/// `command` itself where it holds a slash, else the first executable file of that name in the
/// folders of `path` (a PATH variable); empty where there is none.
std::string findProgram(const std::string& command, const std::string& path);

}  // namespace sumac::kube
