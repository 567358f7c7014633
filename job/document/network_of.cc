#include "job/document/network_of.h"

namespace sumac::job {

Result<model::Network> networkOf(const TrainingJob& job, int vocabulary_of_data) {
  const model::TextExtents text{
      .vocabulary = job.model.vocabulary > 0 ? job.model.vocabulary : vocabulary_of_data,
      .unroll = job.training.unroll};
  if (job.model.network) return model::resolve(*job.model.network, text);
  const auto spec = model::fromZoo(job.model.name, job.model.classes);
  if (!spec) return spec.error();
  return model::resolve(*spec, text);
}

}  // namespace sumac::job
