#include "server/service/setup.h"

#include <utility>

#include "common/job/job_file.h"
#include "common/job/network_of.h"
#include "common/plan/plan_text.h"

namespace sumac::server {
Result<Setup> readSetup(const std::string& path) {
  auto job = job::readJobFile(path);
  if (!job) return job.error();
  const auto network = job::networkOf(*job);
  if (!network) return network.error().within("while resolving the model of " + path);

  Setup setup;
  setup.job = std::move(*job);
  setup.plan =
      makeExchangePlan(*network, setup.job.training.logical_workers, setup.job.server.replicas);
  setup.plan_text = planText(setup.job, *network, setup.plan);
  return setup;
}

}  // namespace sumac::server
