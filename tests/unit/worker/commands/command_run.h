#pragma once

#include <istream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// Runs a command of the worker's program, and keeps its output.
struct CommandRun {
  using Command = ExitCode (*)(int argc, char** argv, std::istream& in, std::ostream& out,
                               std::ostream& err);

  /// `words` begin with the command's name. Returns the exit code.
  int run(Command command, std::vector<std::string> words, const std::string& document) {
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    std::istringstream in(document);
    std::ostringstream out_stream;
    std::ostringstream err_stream;
    const auto code =
        command(static_cast<int>(arguments.size()), arguments.data(), in, out_stream, err_stream);
    out = out_stream.str();
    err = err_stream.str();
    return toInt(code);
  }

  std::string out;
  std::string err;
};

}  // namespace sumac::worker
