#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds `sumac plan`. Sets `command` to what it does, once the command line has been parsed.
void addPlan(CLI::App& app, std::function<int()>& command);

}  // namespace sumac::cli
