#include "cli/completion/unknown_word.h"

#include <vector>

#include "common/job/nearest.h"

namespace sumac::cli {
namespace {

/// The command that the line names, as far as it was parsed.
const CLI::App& commandOf(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().front();
  return *command;
}

std::vector<std::string> optionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options({})) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> commandsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

}  // namespace

std::string unknownWord(const CLI::App& app) {
  const CLI::App& command = commandOf(app);
  const auto words = command.remaining();
  if (words.empty()) return {};
  const std::string word = words.front().substr(0, words.front().find('='));
  if (word.starts_with('-')) {
    return "unknown option `" + word + "`" + job::suggestion(word, optionsOf(command));
  }
  const auto commands = commandsOf(command);
  if (commands.empty()) return "unexpected argument `" + words.front() + "`";
  return "unknown command `" + word + "`" + job::suggestion(word, commands);
}

}  // namespace sumac::cli
