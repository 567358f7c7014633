#include "base/terminal/terminal.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sumac {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool isTerminal(int fd) {
  return ::isatty(fd) != 0 && environment("TERM") != "dumb";
}

bool hasColor(int fd) {
  return isTerminal(fd) && environment("NO_COLOR").empty();
}

int columnsOf(int fd) {
  constexpr int kDefault = 80;
  if (const int columns = std::atoi(environment("COLUMNS").c_str()); columns > 0) return columns;
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kDefault;
}

report::TextStyle textStyleOf(int fd) {
  if (!isTerminal(fd)) return {};
  std::string locale;
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (locale.empty()) locale = environment(name);
  }
  std::ranges::transform(locale, locale.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  const bool has_utf8 =
      locale.empty() || locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  return {.columns = columnsOf(fd), .has_utf8 = has_utf8};
}

std::string shellWord(const std::string& text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:,+@%=").find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string word = "'";
  for (const char c : text)
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace sumac
