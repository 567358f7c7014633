#include "worker/use/find_model.h"

#include "base/core/file.h"
#include "base/yaml/reader.h"
#include "engine/data/dataset.h"
#include "engine/model_file/describe.h"
#include "engine/nn/processors.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "job/progress/output_folder.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

Result<job::TrainingJob> readJobFile(const std::string& file,
                                     const std::vector<std::string>& sets) {
  const auto text = readTextFile(file, yaml::kMaxBytes);
  if (!text) return text.error();
  const job::Overrides overrides{.sets = sets, .workers = {}, .servers = {}};
  const auto reading = job::readJob(*text, file, overrides, /*needs_to_run=*/false);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  if (const auto network = job::networkSpecOf(*reading.job); !network)
    return network.error().within(file);
  return *reading.job;
}

Result<ModelDescription> describeByJob(const job::TrainingJob& job, const fs::path& data_folder) {
  const auto dataset =
      loadDataset(job.data, {.data_folder = data_folder,
                             .seed = job.training.seed,
                             .threads = automaticThreads(usableProcessors(), /*workers=*/1)});
  if (!dataset) return dataset.error();
  const auto network = job::networkOf(job, static_cast<int>(dataset->text.vocabulary.size()));
  if (!network) return network.error();
  return describeModel(job, *network, *dataset);
}

}  // namespace

Result<FoundModel> findModel(const fs::path& named, const std::string& job_file,
                             const std::vector<std::string>& sets) {
  FoundModel found{.file = named, .job = {}};
  std::string job = job_file;
  const auto is_run = isFolder(named);
  if (!is_run) return is_run.error();
  if (*is_run) {
    found.file = OutputFolder(named).model();
    const auto is_there = isThere(found.file);
    if (!is_there) return is_there.error();
    if (!*is_there) {
      return Error{ErrorCode::kNotFound,
                   "there is no " + found.file.string() +
                       ": training writes it when it has made its last step; a run that ended "
                       "before goes on with sumac run --resume " +
                       named.string()};
    }
    const fs::path own = named / "job.yaml";
    if (const auto has_job = isThere(own); job.empty() && has_job && *has_job) job = own.string();
  }
  if (job.empty() && !sets.empty()) {
    return Error{ErrorCode::kInvalid, "--set changes the job of a run, and " + named.string() +
                                          " has none; give it with --network job.yaml"};
  }
  if (job.empty()) return found;
  auto read = readJobFile(job, sets);
  if (!read) return read.error();
  found.job = *std::move(read);
  return found;
}

Result<ModelFile> readFound(const FoundModel& found, const fs::path& data_folder) {
  if (!found.job) {
    return readModelFile(found.file, []() -> Result<ModelDescription> {
      return Error{ErrorCode::kInvalid,
                   "it does not describe its network: an earlier version of Sumac, or another "
                   "program, wrote it; give the job that trained it with --network job.yaml"};
    });
  }
  return readModelFile(found.file, [&] { return describeByJob(*found.job, data_folder); });
}

}  // namespace sumac::worker
