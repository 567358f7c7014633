#include "exchange/coordinator/job_setup.h"

#include <utility>

#include "exchange/plan/job_plan.h"
#include "exchange/plan/plan_text.h"

namespace sumac {

JobSetup setupOf(const job::TrainingJob& job, bool is_elastic) {
  JobSetup setup;
  setup.name = job.name;
  setup.method = job.strategy.method;
  setup.workers = job.worker.replicas;
  setup.servers = job.server.replicas;
  setup.most = mostMembers(job, is_elastic);
  setup.limits.join = std::chrono::seconds(job.run_policy.join_seconds);
  if (const auto stalled = job.run_policy.stalled_after_seconds)
    setup.limits.stalled = std::chrono::seconds(*stalled);
  // Some networks need to know the words of the data: their servers compare the rest.
  const auto plan = makeJobPlan(job, /*size=*/0);
  setup.plan_text = plan ? plan->text : planText(job, {}, {});
  setup.plan_of = [job](std::int64_t words) -> Result<SumPlan> {
    auto made = makeJobPlan(job, words);
    if (!made) return made.error();
    return SumPlan{std::move(made->exchange), std::move(made->text)};
  };
  return setup;
}

}  // namespace sumac
