// sumac: trains jobs on this machine and manages jobs in a cluster. Called as `kubectl-sumac` it is
// a kubectl plugin, called as `kubectl_complete-sumac` it completes that plugin. Wiring only.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/cluster_commands.h"
#include "cli/completion/complete.h"
#include "cli/local_commands.h"
#include "common/base/exit_code.h"
#include "common/base/version.h"
#include "common/process/process_end.h"

namespace {

using sumac::toInt;

/// The program under one of its names; `command` is set when the command line is parsed.
struct Program {
  explicit Program(bool is_plugin)
      : app(is_plugin
                ? "Manages the training jobs of a Kubernetes cluster."
                : "Trains neural networks with workers and parameter servers, on this machine "
                  "or on a\nKubernetes cluster.",
            is_plugin ? "kubectl sumac" : "sumac") {
    app.set_version_flag("--version", std::string("sumac ") + sumac::kVersion, "Print the version");
    app.require_subcommand(1);
    if (!is_plugin) sumac::cli::addLocalCommands(app, command);
    sumac::cli::addClusterCommands(app, app.get_name(), command);
  }

  CLI::App app;
  std::function<int()> command;
};

int parseAndRun(Program& program, int argc, char** argv) {
  try {
    program.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.app.exit(error) == 0 ? toInt(sumac::ExitCode::kDone)
                                        : toInt(sumac::ExitCode::kUsage);
  }
  return program.command();
}

int complete(const Program& program, const std::vector<std::string>& words) {
  std::cout << sumac::cli::complete(program.app, words, sumac::cli::jobNames).text() << std::flush;
  return toInt(sumac::ExitCode::kDone);
}

int run(int argc, char** argv) {
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename() : "";
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (name == "kubectl_complete-sumac") return complete(Program(/*is_plugin=*/true), words);
  if (!words.empty() && words.front() == "__complete") {
    return complete(Program(/*is_plugin=*/false), {words.begin() + 1, words.end()});
  }
  Program program(/*is_plugin=*/name == "kubectl-sumac");
  return parseAndRun(program, argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  const auto failure = sumac::endOfException([&] { code = run(argc, argv); });
  if (!failure) return code;
  std::cerr << "error: " << failure->reason << std::endl;
  return toInt(failure->code);
}
