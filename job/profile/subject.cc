#include "job/profile/subject.h"

#include "base/core/bytes.h"
#include "base/core/sha256.h"

namespace sumac {

ProfileSubject subjectOf(const job::TrainingJob& job, const model::Network& network) {
  const job::OptimizerSpec& optimizer = job.training.optimizer;
  ProfileSubject subject;
  subject.network = network.name.empty() ? "layers" : network.name;
  subject.sha256 = sha256Hex(asBytes(model::canonicalText(network)));
  if (optimizer.name == job::OptimizerName::kAdam) {
    subject.optimizer = "adam";
  } else {
    subject.optimizer = optimizer.momentum == 0.0 ? "sgd" : "sgd with momentum";
  }
  subject.parts = job.training.logical_workers;
  return subject;
}

}  // namespace sumac
