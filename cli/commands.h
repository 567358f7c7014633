#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/completion/complete.h"

namespace sumac::cli {

// Each adds commands to the command line and sets `command` to what they do, once it was parsed.

/// `sumac bench`: measures on this machine what a job would get.
void addBench(CLI::App& app, std::function<int()>& command);

/// The commands that talk to a cluster. `program` is our name in messages: "sumac" or
/// "kubectl sumac".
void addClusterCommands(CLI::App& app, const std::string& program, std::function<int()>& command);

/// `sumac compare`: runs beside each other.
void addCompare(CLI::App& app, std::function<int()>& command);

/// `sumac experiment`: measures a job in all combinations of some values.
void addExperiment(CLI::App& app, std::function<int()>& command);

/// `sumac export`: a trained model in a format of others.
void addExport(CLI::App& app, std::function<int()>& command);

/// `sumac init`: a first job for the data in a folder.
void addInit(CLI::App& app, std::function<int()>& command);

/// The commands that need no cluster, in the order of the help. `own_command`: the words after `--`
/// of `sumac run`, which CLI11 does not see; it outlives `app`.
void addLocalCommands(CLI::App& app, const std::vector<std::string>& own_command,
                      std::function<int()>& command);

/// `sumac evaluate` and `sumac predict`.
void addModelCommands(CLI::App& app, std::function<int()>& command);

/// `sumac plan`.
void addPlan(CLI::App& app, std::function<int()>& command);

/// `sumac profile`.
void addProfile(CLI::App& app, std::function<int()>& command);

/// `sumac run`. `own_command` as in addLocalCommands().
void addRun(CLI::App& app, const std::vector<std::string>& own_command,
            std::function<int()>& command);

/// Becomes sumac-worker with these words. Returns an exit code where it cannot be started.
int becomeWorker(const std::vector<std::string>& words);

/// The jobs of the cluster and namespace that the options choose, for completion. Empty on any
/// failure; after 2 s the process ends.
std::vector<std::string> jobNames(const GivenOptions& given);

}  // namespace sumac::cli
