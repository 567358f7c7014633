#pragma once

#include <string>

namespace sumac::cli {

/// An environment variable; empty where it is not set.
std::string environment(const char* name);

/// Whether `fd` is a terminal that understands control sequences.
bool isTerminal(int fd);

/// Whether colours are welcome on `fd`: a terminal, and NO_COLOR (no-color.org) is not set.
bool hasColor(int fd);

/// How wide lines on `fd` may be: $COLUMNS, else what the terminal says, else 80.
int columnsOf(int fd);

}  // namespace sumac::cli
