#include "engine/model_file/describe.h"

#include <utility>

#include "base/core/check.h"
#include "exchange/membership/member_memory.h"
#include "job/document/network_of.h"

namespace sumac::worker {

ModelTask taskOf(const Dataset& dataset) {
  if (dataset.kind() == DataKind::kText) return ModelTask::kText;
  return dataset.images.train.arePixels() ? ModelTask::kImages : ModelTask::kTable;
}

EvaluationBatches::Options evaluationOptions(const job::TrainingSpec& training,
                                             const model::Network& network) {
  return {.max_samples = evaluationBatch(training, network.isText()),
          .summed_samples = evaluationSum(training),
          .batch_size = training.batch_size,
          .unroll = network.isText() ? static_cast<int>(network.input.front()) : 1};
}

ModelDescription describeModel(const job::TrainingJob& job, const model::Network& network,
                               const Dataset& dataset) {
  ModelDescription description;
  description.job = job.name;
  auto spec = job::networkSpecOf(job);
  SUMAC_CHECK(spec.has_value(), job.model.name);  // its network was resolved
  description.spec = *std::move(spec);
  description.spec.input = network.input;
  if (network.isText()) description.spec.vocabulary = static_cast<int>(network.vocabulary());
  description.task = taskOf(dataset);
  if (!network.isText()) {
    description.classes = dataset.images.classes;
    description.class_names = dataset.images.class_names;
    description.normalization = dataset.images.train.normalization;
    description.columns = dataset.columns;
  }
  description.pictures = dataset.pictures;
  description.vocabulary = dataset.text.vocabulary;
  description.evaluation = evaluationOptions(job.training, network);
  return description;
}

}  // namespace sumac::worker
