#include "common/job/warnings.h"

#include "common/base/text.h"

namespace sumac::job {

namespace {

constexpr std::int64_t kLanes = 16;  // images that one kernel call works on at a time

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

bool isText(const ModelSpec& model) {
  if (model.network) return model.network->isText();
  const auto spec = model::fromZoo(model.name);
  return spec && spec->isText();
}

/// Parts of fewer than 16 images leave vector lanes of the processor empty. Streams of text fill
/// them with time steps.
void warnOfSmallParts(const TrainingSpec& training, std::optional<std::int64_t> samples,
                      std::vector<std::string>& warnings) {
  const std::int64_t batch = training.batch_size;
  const std::int64_t parts = training.logical_workers;
  const std::int64_t smallest = batch / parts;
  if (smallest >= kLanes) return;
  std::string better;
  // A mini-batch cannot be larger than the data.
  if (kLanes * parts <= samples.value_or(kLanes * parts)) {
    better = "spec.training.batchSize of " + std::to_string(kLanes * parts) + " or more";
  }
  if (const std::int64_t fitting = batch / kLanes; fitting >= 1 && fitting < parts) {
    better += better.empty() ? "" : ", or ";
    better += "spec.training.logicalWorkers of " + std::to_string(fitting) + " or fewer";
  }
  warnings.push_back(
      "each of " + counted(parts, "part") + " has only " + counted(smallest, "sample") +
      " of a mini-batch of " + std::to_string(batch) + "; fewer than " + std::to_string(kLanes) +
      " waste part of every instruction." + (better.empty() ? "" : " Better: " + better));
}

/// The busiest worker sets the speed.
void warnOfUnevenBlocks(const TrainingJob& job, std::vector<std::string>& warnings) {
  const std::int64_t parts = job.training.logical_workers;
  const std::int64_t workers = job.worker.replicas;
  if (parts % workers == 0) return;
  const std::int64_t most = ceilDivide(parts, workers);
  const std::int64_t fewer = ceilDivide(parts, most);
  const std::int64_t more = most == 1 ? workers : ceilDivide(parts, most - 1);
  std::string better = "spec.worker.replicas of ";
  if (fewer < workers) better += std::to_string(fewer) + " (as fast as now) or ";
  better += std::to_string(more) + " (" + counted(most - 1, "part") +
            " each at most), or spec.training.logicalWorkers of " + std::to_string(most * workers);
  warnings.push_back(counted(parts, "part") + " on " + counted(workers, "worker") +
                     ": the busiest computes " + std::to_string(most) + ", others " +
                     std::to_string(most - 1) + " and wait. Better: " + better);
}

}  // namespace

std::vector<std::string> warningsFor(const TrainingJob& job, std::optional<std::int64_t> samples) {
  std::vector<std::string> warnings;
  if (!isText(job.model)) warnOfSmallParts(job.training, samples, warnings);
  warnOfUnevenBlocks(job, warnings);
  return warnings;
}

}  // namespace sumac::job
