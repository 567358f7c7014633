#include "job/document/job_file.h"

#include <utility>

#include "base/core/file.h"
#include "base/yaml/reader.h"
#include "job/document/job.h"

namespace sumac::job {

Result<TrainingJob> readJobFile(const std::string& path, std::optional<int> workers) {
  const auto text = readTextFile(path, yaml::kMaxBytes);
  if (!text) return text.error().within("while reading the job");
  Overrides overrides;
  overrides.workers = workers;
  Reading reading = readJob(*text, path, overrides, /*needs_to_run=*/true);
  if (!reading.job) return Error{ErrorCode::kInvalid, problemList(reading.problems)};
  return std::move(*reading.job);
}

}  // namespace sumac::job
