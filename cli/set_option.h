#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds `--set PATH=VALUE`, which can be given several times, to a command that reads a job.
inline void addSet(CLI::App& command, std::vector<std::string>& sets) {
  command.add_option("--set", sets, "Set a field of the job, for example training.epochs=10")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace sumac::cli
