#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds the commands that need no cluster. Each leaves in `command` what is to be done once the
/// line has been read.
void addLocalCommands(CLI::App& app, std::function<int()>& command);

}  // namespace sumac::cli
