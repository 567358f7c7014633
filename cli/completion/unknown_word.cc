#include "cli/completion/unknown_word.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "base/process/usage.h"
#include "job/document/field.h"
#include "job/document/nearest.h"

namespace sumac::cli {
namespace {

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

/// "--batch-size" as "batchSize".
std::string fieldNameOf(std::string_view option) {
  std::string name;
  bool is_upper = false;
  for (const char c : option.substr(std::min(option.find_first_not_of('-'), option.size()))) {
    const int upper = std::toupper(static_cast<unsigned char>(c));
    if (c != '-') name += is_upper ? static_cast<char>(upper) : c;
    is_upper = c == '-';
  }
  return name;
}

/// The path of the first field of that name that has a value, below `object`; empty: there is none.
std::string pathOf(std::string_view name, const job::Field& object, const std::string& prefix) {
  for (const job::Field& field : object.fields) {
    if (field.type != job::Type::kObject && field.name == name) return prefix + field.name;
  }
  for (const job::Field& field : object.fields) {
    if (field.type != job::Type::kObject) continue;
    std::string path = pathOf(name, field, prefix + field.name + ".");
    if (!path.empty()) return path;
  }
  return {};
}

/// Of a field of the job, training's before others.
std::string pathOf(std::string_view name) {
  const std::string path = pathOf(name, *job::fieldAt("spec.training"), "training.");
  return path.empty() ? pathOf(name, *job::fieldAt("spec"), "") : path;
}

/// The value after `option` on the command line.
std::string valueOf(const std::string& option, const std::vector<std::string>& words) {
  const std::string with_value = option + "=";
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->starts_with(with_value)) return word->substr(with_value.size());
    const auto next = std::next(word);
    if (*word == option && next != words.end() && !next->starts_with('-')) return *next;
  }
  return "VALUE";
}

/// How the field is set that an unknown option may mean; empty: there is no such field.
std::string settingOf(const CLI::App& command, const std::string& option,
                      const std::vector<std::string>& words) {
  if (command.get_option_no_throw("--set") == nullptr) return {};
  const std::string path = pathOf(fieldNameOf(option));
  return path.empty() ? "" : ": write --set " + path + "=" + valueOf(option, words);
}

}  // namespace

std::string unknownWord(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App& command = namedCommand(app);
  const auto unknown = command.remaining();
  if (unknown.empty()) return {};
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  if (word.starts_with('-')) {
    const std::string setting = settingOf(command, word, words);
    return "unknown option `" + word + "`" +
           (setting.empty() ? job::suggestion(word, optionsOf(command)) : setting);
  }
  const auto commands = commandsOf(command);
  if (commands.empty()) return "unexpected argument `" + unknown.front() + "`";
  return "unknown command `" + word + "`" + job::suggestion(word, commands);
}

}  // namespace sumac::cli
