#include "job/document/network_of.h"

namespace sumac::job {

Result<model::NetworkSpec> networkSpecOf(const TrainingJob& job) {
  if (job.program) {
    return Error{ErrorCode::kInvalid,
                 "spec.program: the job trains your own program, and this is for jobs with "
                 "spec.model: Sumac knows neither the program's network nor its data"};
  }
  if (job.model.network) return *job.model.network;
  return model::fromZoo(job.model.name, job.model.classes);
}

Result<model::Network> networkOf(const TrainingJob& job, int vocabulary_of_data) {
  const model::TextExtents text{
      .vocabulary = job.model.vocabulary > 0 ? job.model.vocabulary : vocabulary_of_data,
      .unroll = job.training.unroll};
  const auto spec = networkSpecOf(job);
  if (!spec) return spec.error();
  return model::resolve(*spec, text);
}

}  // namespace sumac::job
