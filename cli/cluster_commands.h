#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/completion/complete.h"

namespace sumac::cli {

/// Adds the commands that talk to a cluster. Each sets `command` to what it does, once the command
/// line has been parsed. `program` is our name in messages: "sumac" or "kubectl sumac".
void addClusterCommands(CLI::App& app, const std::string& program, std::function<int()>& command);

/// The jobs of the cluster and namespace that the options choose, for completion. Empty on any
/// failure; after 2 s the process ends.
std::vector<std::string> jobNames(const GivenOptions& given);

}  // namespace sumac::cli
