#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds the commands that need no cluster. Each sets `command` to what it does, once the command
/// line has been parsed.
void addLocalCommands(CLI::App& app, std::function<int()>& command);

}  // namespace sumac::cli
