#pragma once

#include <iostream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/core/exit_code.h"

namespace sumac {

// What our programs say of a command line that is wrong: the words of CLI11 never reach users.

/// The command that the line names, as far as it was parsed.
const CLI::App& namedCommand(const CLI::App& app);

/// What is wrong and what would be right, without a period: "--burst needs a number from 1 to
/// 100000, found x". Texts of our own checks stay as they are.
std::string usageText(const CLI::App& app, const CLI::ParseError& error);

/// Ends a program whose command line CLI11 did not parse to its end. Prints the help or version
/// that the user asked for, or says on `err` what is wrong and which command's --help tells more.
/// --help of a command that does not exist is a mistake, too. Returns kDone or kUsage.
ExitCode endOfUsage(const CLI::App& app, const CLI::ParseError& error,
                    std::ostream& out = std::cout, std::ostream& err = std::cerr);

/// Parses a command line. Returns what the process ends with where it does not go on.
std::optional<ExitCode> parseOrEnd(CLI::App& app, int argc, const char* const* argv,
                                   std::ostream& out = std::cout, std::ostream& err = std::cerr);

}  // namespace sumac
