// sumac: trains jobs on this machine and manages jobs in a cluster. Called as `kubectl-sumac` it is
// a kubectl plugin, called as `kubectl_complete-sumac` it completes that plugin. Wiring only.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/core/exit_code.h"
#include "base/core/version.h"
#include "base/process/help_format.h"
#include "base/process/process_end.h"
#include "base/process/usage.h"
#include "cli/commands.h"
#include "cli/completion/complete.h"
#include "cli/completion/unknown_word.h"

namespace {

using sumac::toInt;

/// The program under one of its names; `command` is set when the command line is parsed.
struct Program {
  explicit Program(bool is_plugin, std::vector<std::string> own_command_of_run = {})
      : own_command(std::move(own_command_of_run)),
        app(is_plugin
                ? "Manages the training jobs of a Kubernetes cluster."
                : "Trains neural networks with workers and parameter servers, on this machine "
                  "or on a\nKubernetes cluster.",
            is_plugin ? "kubectl sumac" : "sumac") {
    app.set_version_flag("--version", std::string("sumac ") + sumac::kVersion, "Print the version");
    app.require_subcommand(1);
    app.formatter(std::make_shared<sumac::HelpFormat>());  // before commands are added
    if (!is_plugin) sumac::cli::addLocalCommands(app, own_command, command);
    sumac::cli::addClusterCommands(app, app.get_name(), command);
    addVersion();
    addHelp();
  }

  /// `version` and `help [COMMAND]`, which many try first. The options say the same.
  void addVersion() {
    app.add_subcommand("version", "Print the version")->group("")->callback([this] {
      command = [this] { return print(app.version() + "\n"); };
    });
  }
  void addHelp() {
    auto* const help = app.add_subcommand("help", "Print the help of a command")->group("");
    help->add_option("COMMAND", topic, "The command; an overview when left out")->type_name("");
    help->callback([this] {
      const auto found =
          app.get_subcommands([this](const CLI::App* one) { return one->get_name() == topic; });
      if (found.empty() && !topic.empty()) {
        throw CLI::ParseError("unknown command `" + topic + "`", toInt(sumac::ExitCode::kUsage));
      }
      CLI::App* const about = topic.empty() ? nullptr : found.front();
      command = [this, about] {
        if (about != nullptr && about->get_prefix_command()) return askProgram(about->get_name());
        return print(about == nullptr ? app.help() : about->help(app.get_name()));
      };
    });
  }
  /// The help of a command whose words another program reads.
  static int askProgram(const std::string& name) {
    Program other(/*is_plugin=*/false);
    other.app.parse(name + " --help");
    return other.command();
  }
  static int print(const std::string& text) {
    std::cout << text << std::flush;
    return toInt(sumac::ExitCode::kDone);
  }

  const std::vector<std::string> own_command;  // of `sumac run -- COMMAND...`
  CLI::App app;
  std::function<int()> command;
  std::string topic;  // of `help`
};

int parseAndRun(Program& program, int argc, char** argv) {
  try {
    program.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const std::string unknown = sumac::cli::unknownWord(program.app, words);
    const bool is_mistake = error.get_exit_code() != 0 || unknown.starts_with("unknown command");
    if (unknown.empty() || !is_mistake) return toInt(sumac::endOfUsage(program.app, error));
    return toInt(
        sumac::endOfUsage(program.app, CLI::ParseError(unknown, toInt(sumac::ExitCode::kUsage))));
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
  const bool is_plugin = name == "kubectl-sumac";
  // The words after `--` are those of the user's program, whatever they look like.
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool has_command = !is_plugin && !words.empty() && words.front() == "run";
  if (!has_command || dashes == words.end()) {
    Program program(is_plugin);
    return parseAndRun(program, argc, argv);
  }
  Program program(is_plugin, {dashes + 1, words.end()});
  if (program.own_command.empty())
    return toInt(sumac::endOfUsage(program.app, CLI::RequiredError("COMMAND after --")));
  return parseAndRun(program, argc - static_cast<int>(words.end() - dashes), argv);
}

}  // namespace

int main(int argc, char** argv) {
  sumac::reportFailedResources();
  int code = 0;
  const auto failure = sumac::endOfException([&] { code = run(argc, argv); });
  if (!failure) return sumac::endOfOutput(code, std::cout, std::cerr);
  std::cerr << "error: " << failure->reason << std::endl;
  return toInt(failure->code);
}
