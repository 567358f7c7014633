#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/core/exit_code.h"

namespace sumac {

/// One line of the exit codes in a --help text.
struct ExitCodeNote {
  ExitCodeNote(ExitCode which) : code(which) {}  // NOLINT(google-explicit-constructor)
  ExitCodeNote(ExitCode which, std::string_view own_text) : code(which), text(own_text) {}

  ExitCode code;
  std::string_view text = {};  // empty: what the code means in every program
};

/// The paragraph "Exit codes:" of a --help text, one code a line.
std::string exitCodeHelp(std::initializer_list<ExitCodeNote> notes);

/// That of sumac-worker and sumac-server.
std::string memberExitCodeHelp();

}  // namespace sumac
