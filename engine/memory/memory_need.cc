#include "engine/memory/memory_need.h"

#include <string_view>

#include "base/core/units.h"
#include "engine/make/make_engine.h"

namespace sumac::worker {
namespace {

constexpr std::string_view kLessMemory =
    " (in a cluster resources.limits.memory in spec.worker.template), lower "
    "spec.training.batchSize, or raise spec.training.logicalWorkers: the network's share "
    "grows with batchSize / logicalWorkers";

std::string needText(const MemoryNeed& need) {
  return "this worker needs about " + bytesText(need.total()) + " of memory (network " +
         bytesText(need.engine) + ", weights and optimizer " + bytesText(need.buffers.weights) +
         ", gradients " + bytesText(need.buffers.gradients) + ", data " +
         bytesText(need.buffers.data) + ")";
}

}  // namespace

Engine::Options engineOptions(const job::TrainingSpec& training, const model::Network& network,
                              TreeNode block) {
  const std::int64_t parts = partsTogether(training, network, block);
  return {.max_samples = samplesAtOnce(training, network, block),
          .max_parts = static_cast<int>(parts),
          .seed = training.seed,
          .reuses_weights = block.size() > parts};
}

Result<MemoryNeed> memoryNeed(const job::TrainingJob& job, const model::Network& network,
                              const ExchangePlan& plan, const Kernels& kernels, int index) {
  const TreeNode block = blockOf(index, job.worker.replicas, plan.parts);
  const auto engine = engineBytes(network, kernels, engineOptions(job.training, network, block));
  if (!engine) return engine.error();
  return MemoryNeed{.engine = *engine, .buffers = workerBuffers(job, network, plan, index)};
}

std::string memoryShortage(const MemoryNeed& need) {
  return "not enough memory: " + needText(need) + "; give it more" + std::string(kLessMemory);
}

std::string memoryProblem(const MemoryNeed& need, std::optional<std::uint64_t> limit) {
  if (!limit || need.total() <= *limit) return {};
  return needText(need) + ", its memory limit is " + bytesText(*limit) + "; raise the limit" +
         std::string(kLessMemory);
}

}  // namespace sumac::worker
