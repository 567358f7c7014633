#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds `sumac bench`, which measures on this machine what a job would get. Sets `command` to what
/// it does, once the command line has been parsed.
void addBench(CLI::App& app, std::function<int()>& command);

}  // namespace sumac::cli
