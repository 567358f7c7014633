#include "base/process/help_format.h"

#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace sumac {
namespace {

/// What CLI11 calls the type of an option for which we name none.
std::string plainType(const std::string& type) {
  return type == "INT" || type == "UINT" || type == "FLOAT" ? "N" : type;
}

/// "{a,b}" as "a|b".
std::string choicesOf(std::string_view braces) {
  std::string choices(braces.substr(1, braces.size() - 2));
  for (char& c : choices)
    if (c == ',') c = '|';
  return choices;
}

/// "1e+06" as "1000000".
std::string plainNumber(std::string_view number) {
  const std::string text(number);
  const bool is_power = text.find("e+") != text.npos;
  return is_power ? std::to_string(static_cast<long long>(std::stod(text))) : text;
}

/// "INT in [1 - 64]" as " (1 to 64)"; empty if the check says something else.
std::string rangeOf(std::string_view check) {
  const auto begin = check.find(" in [");
  const auto between = check.find(" - ", begin);
  if (begin == check.npos || between == check.npos || !check.ends_with(']')) return {};
  const auto low = check.substr(begin + 5, between - begin - 5);
  const auto high = check.substr(between + 3, check.size() - between - 4);
  return " (" + plainNumber(low) + " to " + plainNumber(high) + ")";
}

/// The type says enough.
bool isPlainCheck(std::string_view check) {
  return check == "FILE" || check == "DIR" || check == "NONNEGATIVE" || check.starts_with("PATH(");
}

/// " (not with --resume)" of the options that have a name in the help.
std::string relation(const char* words, const std::set<CLI::Option*>& others) {
  std::string names;
  for (const CLI::Option* const other : others) {
    if (other->get_group().empty()) continue;
    names += (names.empty() ? "" : ", ") + other->get_name();
  }
  return names.empty() ? "" : " (" + std::string(words) + " " + names + ")";
}

/// The words of `text` in lines of at most `width` columns, longer words alone.
std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word; column += word.size()) {
    const bool fits = column + 1 + word.size() <= width;
    if (column > 0) lines += fits ? ' ' : '\n';
    column = column > 0 && fits ? column + 1 : 0;
    lines += word;
  }
  return lines;
}

}  // namespace

std::string typeText(const std::string& full) {
  for (auto colon = full.find(':'); colon != full.npos; colon = full.find(':', colon + 1)) {
    std::string type = full.substr(0, colon);
    const std::string check = full.substr(colon + 1);
    if (check.starts_with('{') && check.ends_with('}')) return choicesOf(check);
    if (const std::string range = rangeOf(check); !range.empty()) return plainType(type) + range;
    if (isPlainCheck(check)) return type;
  }
  return plainType(full);
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (!option->get_option_text().empty()) return " " + option->get_option_text();
  std::string text;
  if (option->get_type_size() != 0) {
    const std::string type = typeText(option->get_type_name());
    if (!type.empty()) text += " " + type;
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    if (option->get_required()) text += " (required)";
  }
  if (!option->get_envname().empty()) text += " ($" + option->get_envname() + ")";
  return text + relation("only with", option->get_needs()) +
         relation("not with", option->get_excludes());
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  constexpr std::size_t kWidth = 100;
  return wrapped(option->get_description(), kWidth - get_column_width());
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  // CLI11 leaves two empty lines between groups.
  for (auto at = text.find("\n\n\n"); at != text.npos; at = text.find("\n\n\n", at))
    text.erase(at, 1);
  return text;
}

}  // namespace sumac
