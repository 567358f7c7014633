#pragma once

#include <string>

#include "base/report/text.h"

namespace sumac {

/// An environment variable; empty where it is not set.
std::string environment(const char* name);

/// Whether `fd` is a terminal that understands control sequences.
bool isTerminal(int fd);

/// Whether to use colours on `fd`: it is a terminal, and NO_COLOR (no-color.org) is not set.
bool hasColor(int fd);

/// The maximum width of lines on `fd`: $COLUMNS, else the terminal's width, else 80.
int columnsOf(int fd);

/// How a report is written to `fd`: as wide as the terminal, and without UTF-8 where LC_ALL,
/// LC_CTYPE or LANG, the first that is set, names another character set; to a file or a pipe lines
/// of any length in UTF-8.
report::TextStyle textStyleOf(int fd);

/// `text` as one word of a shell's command line, in quotes where it needs them.
std::string shellWord(const std::string& text);

}  // namespace sumac
