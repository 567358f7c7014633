#include "cli/terminal/terminal.h"

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace sumac::cli {

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

}  // namespace sumac::cli
