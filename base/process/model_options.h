#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// The commands that use a trained model: sumac checks their words and explains them, and
// sumac-worker, which it becomes, has the engine. So both have the same options.
namespace sumac {

/// Which model, how to compute and how to print.
struct ModelOptions {
  std::string model;     // its file, or a run's folder
  std::string job_file;  // that trained it, where the file does not say
  std::string data_folder;
  std::string cpu_limit;
  bool json = false;
};

/// `evaluate`.
struct EvaluateOptions : ModelOptions {
  std::string data;  // a folder, or a bundled set; empty: the job's
  std::string format;
  std::vector<std::string> sets;
};

/// `predict`.
struct PredictOptions : ModelOptions {
  std::vector<std::string> files;
  int top = 1;
  std::optional<std::string> prompt;  // of text, in place of files
  int words = 50;
  std::uint64_t seed = 1;
};

/// Adds the options and their help to a command.
void addOptions(CLI::App& command, EvaluateOptions& options);
void addOptions(CLI::App& command, PredictOptions& options);
/// Those of a command that only looks at a model.
void addOptions(CLI::App& command, ModelOptions& options);

/// The command and its options as they were given, for the program that reads them again.
std::vector<std::string> givenWords(const CLI::App& command);

}  // namespace sumac
