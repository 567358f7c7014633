#include "cli/run/scale_run.h"

#include <system_error>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "base/terminal/terminal.h"
#include "cli/run/folder.h"
#include "cli/run/resume.h"
#include "cli/run/wanted_workers.h"
#include "exchange/membership/most_members.h"
#include "job/document/job.h"

namespace sumac::cli {
namespace {

/// The job of the attempt under way.
Result<job::TrainingJob> jobIn(const RunFolder& folder) {
  std::error_code ignored;
  const bool is_new = std::filesystem::exists(folder.nextJob(), ignored);  // attempt.h
  const auto file = is_new ? folder.nextJob() : folder.job();
  const auto text = readTextFile(file, RunFolder::kMaxJobBytes);
  if (!text) return text.error();
  auto reading = job::readJob(*text, file.string(), {}, /*needs_to_run=*/true);
  if (reading.job) return *std::move(reading.job);
  return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
}

/// Why the job cannot have so many workers; empty if it can.
std::string problemOf(const job::TrainingJob& job, int workers) {
  if (job.autoscaling)
    return "spec.autoscaling chooses the number of workers of this job; its bounds are "
           "spec.worker.minReplicas and maxReplicas";
  const auto most = mostMembers(job, /*is_elastic=*/true);
  if (!most) return "the number of workers of this job is fixed: " + job.fixedMembersCause();
  if (workers <= most->workers) return {};
  return "the job has " + counted(most->workers, "logical worker") +
         " (spec.training.logicalWorkers), so it has no work for " + counted(workers, "worker");
}

}  // namespace

bool isRunFolder(const std::string& word) {
  std::error_code ignored;
  return word.find('/') != word.npos || std::filesystem::exists(RunFolder(word).job(), ignored);
}

ExitCode scaleRun(const std::filesystem::path& path, int workers, std::ostream& out,
                  std::ostream& err) {
  const RunFolder folder(path);
  std::error_code ignored;
  if (!std::filesystem::exists(folder.job(), ignored)) {
    return complain(err, path.string() + " is not the folder of a run, it has no job.yaml",
                    ExitCode::kUsage);
  }
  const auto job = jobIn(folder);
  if (!job) return complain(err, job.error(), ExitCode::kFailed);
  if (const auto problem = problemOf(*job, workers); !problem.empty())
    return complain(err, problem, ExitCode::kFailed);
  if (const auto lock = lockFolder(folder)) {
    return complain(err,
                    "no sumac run trains in " + path.string() +
                        " now; to go on in it:\n  sumac run --resume " + shellWord(path.string()) +
                        " --workers " + std::to_string(workers),
                    ExitCode::kFailed);
  }
  const auto written = WantedWorkers::write(folder.workers(), workers);
  if (!written) return complain(err, written.error(), ExitCode::kFailed);
  out << "asked the run in " << path.string() << " to go on with " << counted(workers, "worker")
      << std::endl;
  return ExitCode::kDone;
}

}  // namespace sumac::cli
