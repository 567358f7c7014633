#include "server/service/setup.h"

#include <utility>

#include "common/base/file.h"
#include "common/job/job.h"
#include "common/job/network_of.h"
#include "common/plan/plan_text.h"

namespace sumac::server {
namespace {

constexpr std::uint64_t kMaxDocument = 1024UL * 1024;  // of what fits a ConfigMap

}  // namespace

Result<Setup> readSetup(const std::string& path) {
  const auto text = readTextFile(path, kMaxDocument);
  if (!text) return text.error().within("while reading the job");
  const job::Reading reading = job::readJob(*text, path, /*overrides=*/{}, /*needs_to_run=*/true);
  if (!reading.job) return Error{ErrorCode::kInvalid, job::problemList(reading.problems)};
  const auto network = job::networkOf(*reading.job);
  if (!network) return network.error().within("while resolving the model of " + path);

  Setup setup;
  setup.job = *reading.job;
  setup.plan =
      makeExchangePlan(*network, setup.job.training.logical_workers, setup.job.server.replicas);
  setup.plan_text = planText(setup.job, *network, setup.plan);
  return setup;
}

}  // namespace sumac::server
