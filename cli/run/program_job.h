#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/node.h"

namespace sumac::cli {

/// A job without a file: `sumac run [flags] -- COMMAND...`.
struct ProgramFlags {
  std::vector<std::string> command;  // empty: the job stands in a file
  std::optional<int> parts;
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> steps;
  std::optional<std::int64_t> seed;
  std::optional<int> threads;
};

/// Why a command cannot stand in a document; empty if it can.
std::string commandProblem(const std::vector<std::string>& command);

/// The document of such a job, without positions: a mini-batch has 64 samples and the training one
/// epoch unless the flags say otherwise; without `servers` the workers sum. Requires a command
/// without a problem.
yaml::Node documentOf(const ProgramFlags& flags, std::optional<int> workers,
                      std::optional<int> servers);

/// A job's name from a command: of "python src/train_mnist.py --fast" it is "train-mnist".
std::string jobNameOf(const std::vector<std::string>& command);

}  // namespace sumac::cli
