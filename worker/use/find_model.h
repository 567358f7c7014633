#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "engine/model_file/model_file.h"
#include "job/document/training_job.h"

namespace sumac::worker {

/// The model that a user names.
struct FoundModel {
  std::filesystem::path file;
  std::optional<job::TrainingJob> job;  // that trained it, where that is known
};

/// `named` is the model's file, or the folder of a run, whose job.yaml is read unless `job_file` is
/// given. `sets` change the job, and need one. Fails with a message that says what is missing.
Result<FoundModel> findModel(const std::filesystem::path& named, const std::string& job_file,
                             const std::vector<std::string>& sets);

/// Reads it. Where the file has no description, that is the job's; the job's data are read for it
/// from `data_folder`, as loadDataset() does.
Result<ModelFile> readFound(const FoundModel& found, const std::filesystem::path& data_folder);

}  // namespace sumac::worker
