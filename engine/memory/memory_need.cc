#include "engine/memory/memory_need.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/core/units.h"
#include "engine/make/make_engine.h"
#include "job/document/limits.h"

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

Result<MemoryNeed> largestNeed(const job::TrainingJob& job, const model::Network& network,
                               const ExchangePlan& plan, const Kernels& kernels) {
  std::set<std::vector<int>> seen;  // sizes of the nodes, apart from worker 0's, which evaluates
  MemoryNeed most;
  for (int index = 0; index < job.worker.replicas; ++index) {
    std::vector<int> sizes;
    for (const TreeNode node :
         maximalNodes(blockOf(index, job.worker.replicas, plan.parts), plan.parts))
      sizes.push_back(node.size());
    if (index > 0 && !seen.insert(sizes).second) continue;
    const auto need = memoryNeed(job, network, plan, kernels, index);
    if (!need) return need.error();
    if (need->total() > most.total()) most = *need;
  }
  return most;
}

Result<std::map<int, std::uint64_t>> needsBeyond(std::uint64_t limit, const job::TrainingJob& job,
                                                 const model::Network& network,
                                                 const ExchangePlan& plan, const Kernels& kernels,
                                                 std::uint64_t data) {
  std::map<int, std::uint64_t> beyond;
  job::TrainingJob sized = job;
  const int most = std::min(plan.parts, job::kMostPeers);
  for (int workers = 1; workers <= most; ++workers) {
    sized.worker.replicas = workers;
    const auto need = largestNeed(sized, network, plan, kernels);
    if (!need) return need.error();
    if (need->total() + data > limit) beyond[workers] = need->total() + data;
  }
  return beyond;
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
