#include "exchange/coordinator/job_setup.h"

#include <utility>

#include "exchange/plan/job_plan.h"
#include "exchange/plan/plan_text.h"
#include "job/document/job_file.h"

namespace sumac {

JobSetup setupOf(job::TrainingJob job) {
  JobSetup setup;
  setup.job = std::move(job);
  setup.limits.join = std::chrono::seconds(setup.job.run_policy.join_seconds);
  if (const auto stalled = setup.job.run_policy.stalled_after_seconds)
    setup.limits.stalled = std::chrono::seconds(*stalled);
  // Some networks need to know the words of the data: their servers compare the rest.
  const auto plan = makeJobPlan(setup.job, /*vocabulary=*/0);
  setup.plan_text = plan ? plan->text : planText(setup.job, {}, {});
  setup.plan_of = [job = setup.job](std::int64_t words) -> Result<SumPlan> {
    auto made = makeJobPlan(job, words);
    if (!made) return made.error();
    return SumPlan{std::move(made->exchange), std::move(made->text)};
  };
  return setup;
}

Result<JobSetup> readSetup(const std::string& path, std::optional<int> workers) {
  auto job = job::readJobFile(path, workers);
  if (!job) return job.error();
  return setupOf(*std::move(job));
}

}  // namespace sumac
