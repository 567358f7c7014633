#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds the commands that talk to a cluster. Each leaves in `command` what is to be done once the
/// line has been read. `program` is how we are called, for messages: "sumac", "kubectl sumac".
void addClusterCommands(CLI::App& app, const std::string& program, std::function<int()>& command);

}  // namespace sumac::cli
