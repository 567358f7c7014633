#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds `sumac experiment`, which measures a job in all combinations of some values. Sets `command`
/// to what it does, once the command line has been parsed.
void addExperiment(CLI::App& app, std::function<int()>& command);

}  // namespace sumac::cli
