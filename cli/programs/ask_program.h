#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/result.h"

namespace sumac::cli {

/// Where the messages of a program that we ask go.
enum class Messages {
  kKept,   // into the error, if there is one
  kShown,  // to our standard error, as they come
};

/// Runs a program with these arguments and this standard input, waits for it, and returns what it
/// printed. Fails with kNotFound where the program is missing, else with its error message, as
/// kUnavailable where its exit status says that a resource of this machine failed; without the
/// `error: ` before it, and empty where it was shown.
Result<std::string> askProgram(const std::filesystem::path& program,
                               std::vector<std::string> arguments, const std::string& input,
                               Messages messages = Messages::kKept);

/// askProgram() of `sumac-worker` in the folder `programs`.
Result<std::string> askWorker(const std::filesystem::path& programs,
                              std::vector<std::string> arguments, const std::string& input,
                              Messages messages = Messages::kKept);

}  // namespace sumac::cli
