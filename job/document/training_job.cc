#include "job/document/training_job.h"

#include "job/document/limits.h"

namespace sumac::job {

std::string TrainingJob::fixedMembersCause() const {
  if (strategy.codec != Codec::kFp32) {
    return "spec.strategy.codec is " + std::string(toString(strategy.codec)) +
           ", with which the bits depend on the number of workers";
  }
  if (strategy.method == ExchangeMethod::kRing)
    return "spec.strategy.algorithm is ring, where the bits depend on the number of workers";
  if (strategy.consistency != Consistency::kSynchronous)
    return "spec.strategy.consistency is not synchronous";
  if (worker.replicas > kMostPeers)
    return "spec.worker.replicas is above " + std::to_string(kMostPeers);
  return {};
}

}  // namespace sumac::job
