#include "exchange/membership/member_memory.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>

#include "exchange/membership/method_choice.h"

namespace sumac {
namespace {

constexpr std::int64_t kEvaluationSum = 64;
// Images that a vector of the widest kernels takes: fewer at once are not faster.
constexpr std::int64_t kWidestLanes = 16;
// Rows of text that an engine computes together: enough that products spend their time in whole
// tiles. More would only take memory.
constexpr std::int64_t kRowsTogether = 512;
// Code, libraries, threads' stacks and messages on their way.
constexpr std::uint64_t kProgram = std::uint64_t{32} << 20U;

std::int64_t largestPart(const job::TrainingSpec& training) {
  return (training.batch_size + training.logical_workers - 1) / training.logical_workers;
}

/// What an engine with room for a largest part takes anyway, as a part of kEvaluationSum.
std::int64_t imagesToEvaluate(std::int64_t part) {
  const std::int64_t room = (part + kWidestLanes - 1) / kWidestLanes * kWidestLanes;
  if (room >= kEvaluationSum) return std::max(part, kEvaluationSum);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(room)));
}

std::uint64_t floats(std::int64_t count) {
  return static_cast<std::uint64_t>(count) * sizeof(float);
}

std::int64_t optimizerVectors(const job::OptimizerSpec& optimizer) {
  if (optimizer.name == job::OptimizerName::kAdam) return 2;
  return optimizer.momentum == 0.0 ? 0 : 1;
}

/// Exchange vectors: two sets of contributions, siblings, two sums. A lossy codec's copies of two
/// steps' contributions have half the size.
std::int64_t exchangeVectors(TreeNode block, const ExchangePlan& plan) {
  const auto nodes = maximalNodes(block, plan.parts);
  const std::int64_t coded = plan.codec == Codec::kFp32 ? 0 : std::ssize(nodes);
  int siblings = 0;
  for (const TreeNode node : nodes)
    siblings = std::max(siblings, siblingsOf(node, /*keeps_leaves=*/plan.squares > 0));
  return 2 * std::ssize(nodes) + coded + siblings + 2;
}

/// What `auto` may choose that needs the most memory.
ExchangeMethod largestOf(std::optional<ExchangeMethod> method, const ExchangePlan& plan,
                         int workers) {
  if (method) return *method;
  if (mayBeDirect(plan, workers)) return ExchangeMethod::kDirect;
  return canonicalMethods(plan, workers).back();
}

/// Of the exchange vector, what a worker of a job without servers adds.
std::int64_t addedValues(ExchangeMethod method, const ExchangePlan& plan, std::int64_t workers) {
  if (method == ExchangeMethod::kDirect || method == ExchangeMethod::kRing) return plan.values;
  if (method == ExchangeMethod::kHalvingDoubling)
    return plan.values / std::min<std::int64_t>(workers, 2);
  return plan.values / workers;
}

/// Values that it keeps for that: sums on their way to others, at most all, and the open sums.
std::int64_t summedValues(const job::TrainingJob& job, const ExchangePlan& plan) {
  if (job.strategy.hasServers()) return 0;
  const int workers = job.worker.replicas;
  const ExchangeMethod method = largestOf(job.strategy.method, plan, workers);
  // In a ring, what came from the worker before waits beside our own.
  const std::int64_t open =
      method == ExchangeMethod::kDirect || method == ExchangeMethod::kRing ? 2 : 1;
  return addedValues(method, plan, workers) * (1 + open);
}

}  // namespace

std::int64_t largestBatch(const job::TrainingSpec& training, bool is_text, bool evaluates) {
  const std::int64_t part = largestPart(training);
  return evaluates ? std::max(part, evaluationBatch(training, is_text)) : part;
}

std::int64_t evaluationBatch(const job::TrainingSpec& training, bool is_text) {
  const std::int64_t part = largestPart(training);
  if (!is_text) return imagesToEvaluate(part);
  return std::max(part, std::min(training.batch_size, kEvaluationSum));
}

std::int64_t evaluationSum(const job::TrainingSpec& training) {
  return std::max(largestPart(training), kEvaluationSum);
}

std::int64_t partsTogether(const job::TrainingSpec& training, const model::Network& network,
                           TreeNode block) {
  if (!network.isText()) return 1;
  const std::int64_t steps = network.input.front();  // training.unroll may be left to the model
  return std::clamp<std::int64_t>(kRowsTogether / (largestPart(training) * steps), 1, block.size());
}

std::int64_t samplesAtOnce(const job::TrainingSpec& training, const model::Network& network,
                           TreeNode block) {
  const std::int64_t largest =
      largestBatch(training, network.isText(), /*evaluates=*/block.begin == 0);
  return std::max(largest, partsTogether(training, network, block) * largestPart(training));
}

bool overlapsForward(const job::TrainingSpec& training, const ExchangePlan& plan) {
  const bool has_state = plan.state.recurrent + plan.state.statistics > 0;
  return !training.clip_global_norm && !has_state && plan.values >= kLeastOverlapped;
}

WorkerBuffers workerBuffers(const job::TrainingJob& job, const model::Network& network,
                            const ExchangePlan& plan, int index) {
  const job::TrainingSpec& training = job.training;
  const TreeNode block = blockOf(index, job.worker.replicas, plan.parts);
  WorkerBuffers buffers;
  // An update that is made while sums come can be undone.
  const std::int64_t states = overlapsForward(training, plan) ? 2 : 1;
  buffers.weights = floats((2 + states * optimizerVectors(training.optimizer)) * plan.parameters +
                           2 * (plan.state.recurrent + plan.state.statistics));
  buffers.gradients = floats(exchangeVectors(block, plan) * plan.values + summedValues(job, plan));
  // Two steps' samples of the block, as the prefetcher keeps them.
  buffers.data = floats(2 * ((training.batch_size * block.size() + plan.parts - 1) / plan.parts) *
                        (model::count(network.input) + 1));
  buffers.program = kProgram;
  return buffers;
}

std::uint64_t serverMemory(const job::TrainingJob& job, const ExchangePlan& plan) {
  const std::int64_t workers = job.worker.replicas;
  const std::int64_t share = (plan.values + job.server.replicas - 1) / job.server.replicas;
  const std::int64_t nodes =
      std::ssize(maximalNodes(blockOf(0, job.worker.replicas, plan.parts), plan.parts));
  return floats((workers * nodes + 2) * share) + kProgram;
}

}  // namespace sumac
