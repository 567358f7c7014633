#include "base/process/usage.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/process/help_format.h"

namespace sumac {
namespace {

/// A message of CLI11 and ours. "*" stands for any text, $1 for the first of these.
struct Rewording {
  std::string_view name;  // of the error
  std::string_view raw;
  std::string_view plain;
};

constexpr Rewording kRewordings[] = {
    {"ArgumentMismatch", "*: 1 required * missing", "$1 needs a value: $2"},
    {"ArgumentMismatch", "*: At Most 1 required but received *", "$1 is given $2 times: give one"},
    {"ValidationError", "*: Value * not in range * to *",
     "$1 needs a number from $3 to $4, found $2"},
    {"ValidationError", "*: * not in *", "$1 must be one of $3, found $2"},
    {"ValidationError", "*: File does not exist: *", "$1: there is no file $2"},
    {"ValidationError", "*: File is actually a directory: *", "$1: $2 is a folder, not a file"},
    {"ValidationError", "*: Directory does not exist: *", "$1: there is no folder $2"},
    {"ValidationError", "*: Directory is actually a file: *", "$1: $2 is a file, not a folder"},
    {"ConversionError", "Could not convert: * = *", "$1 needs a number, found $2"},
    {"RequiredError", "A subcommand is required", "give a command"},
    {"RequiredError", "* is required", "$1 is missing"},
    {"RequiresError", "* requires *", "$1 needs $2, too"},
    {"ExcludesError", "* excludes *", "$1 does not go with $2: leave one out"}};

/// What the stars of a pattern stand for, each as short as possible and the last one to the end.
std::optional<std::vector<std::string>> matched(std::string_view pattern, std::string_view text) {
  std::vector<std::string> found;
  for (auto star = pattern.find('*'); star != pattern.npos; star = pattern.find('*')) {
    if (!text.starts_with(pattern.substr(0, star))) return std::nullopt;
    text.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    const std::string_view next = pattern.substr(0, pattern.find('*'));
    const auto end = next.size() == pattern.size()
                         ? (text.ends_with(next) ? text.size() - next.size() : text.npos)
                         : text.find(next);
    if (end == text.npos) return std::nullopt;
    found.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return text == pattern ? std::optional(found) : std::nullopt;
}

/// "0.100000" as "0.1", "{a,b}" as "a, b".
std::string plainValue(std::string value) {
  if (value.starts_with('{') && value.ends_with('}')) {
    value = value.substr(1, value.size() - 2);
    for (auto at = value.find(','); at != value.npos; at = value.find(',', at + 2))
      value.insert(at + 1, " ");
    return value;
  }
  const auto last = value.find_last_not_of('0');
  const bool has_zeros = value.ends_with("00000") && value.find('.') != value.npos;
  return has_zeros ? value.substr(0, value[last] == '.' ? last : last + 1) : value;
}

std::string reworded(const Rewording& rewording, const std::vector<std::string>& values) {
  std::string text(rewording.plain);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string place = "$" + std::to_string(i + 1);
    const bool is_type = rewording.raw.ends_with("missing") && i > 0;
    text.replace(text.find(place), place.size(),
                 is_type ? typeText(values[i]) : plainValue(values[i]));
  }
  return text;
}

/// The first word that its command does not know; empty: it knows all.
std::string unknownWord(const CLI::App& command) {
  const auto unknown = command.remaining();
  if (unknown.empty()) return {};
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  if (word.starts_with('-')) return "unknown option `" + word + "`";
  std::string names;
  for (const CLI::App* const one : command.get_subcommands([](const CLI::App*) { return true; }))
    names += (names.empty() ? "" : ", ") + one->get_name();
  if (names.empty()) return "unexpected argument `" + unknown.front() + "`";
  return "unknown command `" + word + "`: give one of " + names;
}

/// Whether a word that a command does not know explains the error.
bool isOfWords(const CLI::ParseError& error) {
  using enum CLI::ExitCodes;
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  return code == Success || code == ExtrasError || code == RequiredError;
}

}  // namespace

const CLI::App& namedCommand(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().front();
  return *command;
}

std::string usageText(const CLI::App& app, const CLI::ParseError& error) {
  if (isOfWords(error)) {
    if (std::string unknown = unknownWord(namedCommand(app)); !unknown.empty()) return unknown;
  }
  for (const Rewording& rewording : kRewordings) {
    if (error.get_name() != rewording.name) continue;
    if (const auto values = matched(rewording.raw, error.what()))
      return reworded(rewording, *values);
  }
  return error.what();
}

ExitCode endOfUsage(const CLI::App& app, const CLI::ParseError& error, std::ostream& out,
                    std::ostream& err) {
  const bool is_mistake = error.get_exit_code() != 0;
  const std::string text = usageText(app, error);
  if (!is_mistake && !text.starts_with("unknown command")) {
    app.exit(error, out, err);
    return ExitCode::kDone;
  }
  std::string names;
  for (const CLI::App* command = &namedCommand(app); command != nullptr;
       command = command == &app ? nullptr : command->get_parent())
    names = command->get_name() + (names.empty() ? "" : " ") + names;
  err << "error: " << text << "; see `" << names << " --help`" << std::endl;
  return ExitCode::kUsage;
}

std::optional<ExitCode> parseOrEnd(CLI::App& app, int argc, const char* const* argv,
                                   std::ostream& out, std::ostream& err) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return endOfUsage(app, error, out, err);
  }
}

}  // namespace sumac
