#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sumac::cli {

/// Adds `--set PATH=VALUE`, which can be given several times, to a command that reads a job.
inline void addSet(CLI::App& command, std::vector<std::string>& sets) {
  command
      .add_option("--set", sets,
                  "Set a field of the job, for example training.epochs=10; PATH=null removes it")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string& set) {
        const auto equals = set.find('=');
        const bool is_complete = equals != set.npos && equals > 0;
        return is_complete ? std::string()
                           : "`" + set + "` must be PATH=VALUE, such as training.epochs=10";
      });
}

}  // namespace sumac::cli
