#include "common/job/warnings.h"

#include "common/base/check.h"
#include "common/base/text.h"

namespace sumac::job {

namespace {

/// Images that one vector of a job's kernels holds, and how the kernels are named.
struct Lanes {
  std::int64_t count;
  const char* kernels;
};

Lanes lanesOf(Kernels kernels) {
  switch (kernels) {
    case Kernels::kAuto: return {16, "the avx512 kernels (8 of avx2, 4 of baseline)"};
    case Kernels::kAvx512: return {16, "the avx512 kernels"};
    case Kernels::kAvx2: return {8, "the avx2 kernels"};
    case Kernels::kBaseline: return {4, "the baseline kernels"};
  }
  failCheck("kernels is one of the enumerators", std::to_string(static_cast<int>(kernels)));
}

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

bool isText(const ModelSpec& model) {
  if (model.network) return model.network->isText();
  const auto spec = model::fromZoo(model.name);
  return spec && spec->isText();
}

/// Parts of fewer images than a vector holds leave lanes of the processor empty. Streams of text
/// fill them with time steps.
void warnOfSmallParts(const TrainingSpec& training, std::optional<std::int64_t> samples,
                      std::vector<std::string>& warnings) {
  const std::int64_t batch = training.batch_size;
  const std::int64_t parts = training.logical_workers;
  const std::int64_t smallest = batch / parts;
  const auto [lanes, kernels] = lanesOf(training.kernels);
  if (smallest >= lanes) return;
  std::string better;
  // A mini-batch cannot be larger than the data.
  if (lanes * parts <= samples.value_or(lanes * parts)) {
    better = "spec.training.batchSize of " + std::to_string(lanes * parts) + " or more";
  }
  if (const std::int64_t fitting = batch / lanes; fitting >= 1 && fitting < parts) {
    better += better.empty() ? "" : ", or ";
    better += "spec.training.logicalWorkers of " + std::to_string(fitting) + " or fewer";
  }
  warnings.push_back("each of " + counted(parts, "part") + " has only " +
                     counted(smallest, "sample") + " of a mini-batch of " + std::to_string(batch) +
                     "; fewer than " + std::to_string(lanes) +
                     " waste part of every instruction of " + kernels + "." +
                     (better.empty() ? "" : " Better: " + better));
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
