#include "experiment/document/owned.h"

namespace sumac::experiment {

std::vector<Owned> ownedFields(const Experiment& experiment) {
  std::vector<Owned> fields{{"spec.training.steps", "spec.steps"},
                            {"spec.training.epochs", "spec.steps"},
                            {"spec.training.evaluation.everyEpochs", "the experiment"},
                            {"spec.checkpoint", "the experiment"},
                            {"spec.output", "the experiment"}};
  if (experiment.batch_size_per_worker)
    fields.push_back({"spec.training.batchSize", "spec.batchSizePerWorker"});
  if (experiment.scale.empty()) return fields;
  for (const char* const size : {"replicas", "minReplicas", "maxReplicas"})
    fields.push_back({std::string("spec.worker.") + size, "spec.scale"});
  return fields;
}

}  // namespace sumac::experiment
