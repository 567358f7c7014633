#include "common/job/network_of.h"

namespace sumac::job {

Result<model::Network> networkOf(const TrainingJob& job) {
  if (job.model.network) return model::resolve(*job.model.network);
  const auto spec = model::fromZoo(job.model.name);
  if (!spec) return spec.error();
  return model::resolve(*spec);
}

}  // namespace sumac::job
