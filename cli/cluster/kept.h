#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kube/api/training_job.h"

namespace sumac::cli {

/// What outlives a job's pods according to its own document: the operator's default template,
/// which may mount more, is not known here.
struct Kept {
  bool checkpoints = false;
  bool model = false;
};

Kept keptBy(const nlohmann::json& document);
Kept keptBy(const api::TrainingJob& job);

/// For a job that is submitted: what will be lost with the pods, and what to set. One sentence or
/// two each; empty when nothing is lost. `changes_in_place`: the job outlives the loss of members.
std::vector<std::string> lossWarnings(const nlohmann::json& document, bool changes_in_place);

/// Whether the others train on where the job's members change; false where this version cannot read
/// its document.
bool changesInPlace(const api::TrainingJob& job);

/// For a job whose pods are about to be deleted by `what` ("suspending"): that training starts
/// again at step 0. Empty when checkpoints are kept, or no step has been done.
std::string restartWarning(const api::TrainingJob& job, const std::string& what);

}  // namespace sumac::cli
