#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "experiment/cells/cells.h"
#include "experiment/measure/schedule.h"

namespace sumac::cli {

/// Labels of an experiment's jobs in a cluster.
inline constexpr const char* kExperimentLabel = "sumac.dev/experiment";  // its name
inline constexpr const char* kFolderLabel = "sumac.dev/experiment-folder";
inline constexpr const char* kCellLabel = "sumac.dev/cell";
inline constexpr const char* kRepetitionLabel = "sumac.dev/repetition";

/// Whose jobs these are: two folders never share a job, not even of one experiment.
struct ExperimentMark {
  std::string experiment;  // its name
  std::string folder;      // ten hexadecimal digits

  /// Of an experiment whose results lie in `folder` of `host`. `jobs`: FolderIdentity::jobs.
  static ExperimentMark of(const std::string& experiment, const std::string& jobs,
                           const std::string& host, const std::string& folder);
};

/// The name of a run's job, at most 50 characters: the same whenever it is asked for.
std::string jobNameOf(const ExperimentMark& mark, experiment::RunId run);

/// The TrainingJob of a run: the cell's document with the labels, with pods that stay until we have
/// read them, and with a coordinator that prints each step's time. Fails early rather than often.
/// Where it has a checkpoint, that is kept in a folder of its volume that `unique` names: no run
/// continues from another's.
nlohmann::json jobObjectOf(const ExperimentMark& mark, experiment::RunId run,
                           const experiment::Cell& cell, const std::string& unique);

/// The folder of its volume in which a TrainingJob has its checkpoints; empty: it has no volume.
std::string checkpointFolderOf(const nlohmann::json& job);

}  // namespace sumac::cli
