#include "planner/parallel/pipeline.h"

#include <algorithm>
#include <numeric>

#include "base/core/check.h"

namespace sumac::planner {
namespace {

/// The maxima over the stages.
struct Slowest {
  double forward_seconds = 0;   // a sample
  double backward_seconds = 0;  // a sample
  double update_seconds = 0;    // an iteration
  double memory_bytes = 0;
  double sent_items = 0;  // a sample, by a stage but the last
  double all_sent_items = 0;
};

Slowest slowestOf(const ParallelCase& question, const Stages& stages) {
  const Training& training = question.training;
  const auto batch = static_cast<double>(training.batch_size);
  Slowest slowest;
  std::span<const LayerCost> left(question.network.layers);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    double forward = 0;
    double backward = 0;
    double update = 0;
    double items = 0;
    for (const LayerCost& layer : left.first(stages[stage])) {
      forward += layer.forward_seconds;
      backward += layer.backward_seconds;
      update += layer.update_seconds;
      items += batch * (layer.input_items + layer.output_items) + layer.weight_items;
    }
    slowest.forward_seconds = std::max(slowest.forward_seconds, forward);
    slowest.backward_seconds = std::max(slowest.backward_seconds, backward);
    slowest.update_seconds = std::max(slowest.update_seconds, update);
    slowest.memory_bytes = std::max(
        slowest.memory_bytes, 2 * training.bytes_per_item * question.choices.memory_reuse * items);
    const double sent = left[stages[stage] - 1].output_items;
    left = left.subspan(stages[stage]);
    if (stage + 1 == stages.size()) break;
    slowest.sent_items = std::max(slowest.sent_items, sent);
    slowest.all_sent_items += sent;
  }
  SUMAC_CHECK(left.empty(), left.size());
  return slowest;
}

LinkCost linkOf(const ParallelCase& question, const Stages& stages) {
  return question.machines.messageLink(static_cast<std::int64_t>(stages.size()))
      .sharedBy(question.choices.contention.stage_transfer);
}

/// As many layers to each stage as cost at most `limit`, but at least one to each and to each that
/// follows; the last takes the rest.
Stages fill(std::span<const double> costs, std::size_t count, double limit) {
  Stages stages;
  std::size_t at = 0;
  while (stages.size() + 1 < count) {
    const std::size_t kept = count - stages.size() - 1;  // for the stages that follow
    const std::size_t first = at;
    double sum = costs[at++];
    while (at + kept < costs.size() && sum + costs[at] <= limit)
      sum += costs[at++];
    stages.push_back(at - first);
  }
  stages.push_back(costs.size() - at);
  return stages;
}

double costliest(std::span<const double> costs, const Stages& stages) {
  double most = 0;
  for (const std::size_t stage : stages) {
    const auto own = costs.first(stage);
    most = std::max(most, std::accumulate(own.begin(), own.end(), 0.0));
    costs = costs.subspan(stage);
  }
  return most;
}

}  // namespace

Stages balancedStages(std::span<const double> costs, std::size_t count) {
  constexpr int kHalvings = 60;
  SUMAC_CHECK(count >= 1 && count <= costs.size(), count, costs.size());
  double low = 0;
  double high = std::accumulate(costs.begin(), costs.end(), 0.0);
  Stages best = fill(costs, count, high);
  for (int i = 0; i < kHalvings; ++i) {
    const double limit = low + (high - low) / 2;
    const Stages tried = fill(costs, count, limit);
    if (costliest(costs, tried) > limit) {
      low = limit;
      continue;
    }
    high = limit;
    best = tried;
  }
  return best;
}

Estimate layerParallel(const ParallelCase& question, const Stages& stages) {
  const Training& training = question.training;
  const NetworkTotals network = totals(question.network);
  const Slowest slowest = slowestOf(question, stages);
  const LinkCost link = linkOf(question, stages);
  const double bytes =
      static_cast<double>(training.batch_size) * slowest.all_sent_items * training.bytes_per_item;
  Estimate result;
  result.time[Phase::kForwardBackward] =
      static_cast<double>(training.samples) * network.forward_backward_seconds;
  result.time[Phase::kWeightUpdate] = training.iterations() * network.update_seconds;
  result.time[Phase::kStageTransfer] =
      2 * training.iterations() *
      (static_cast<double>(stages.size() - 1) * link.latency_seconds +
       bytes * link.seconds_per_byte);
  result.memory_bytes = slowest.memory_bytes;
  return result;
}

Estimate pipelineParallel(const ParallelCase& question, const Stages& stages) {
  const Training& training = question.training;
  const Slowest slowest = slowestOf(question, stages);
  const auto segments = static_cast<double>(question.choices.segments);
  const double rounds = static_cast<double>(stages.size()) + segments - 1;
  const double bytes = static_cast<double>(training.batch_size) / segments * slowest.sent_items *
                       training.bytes_per_item;
  Estimate result;
  result.time[Phase::kForwardBackward] = static_cast<double>(training.samples) * rounds / segments *
                                         (slowest.forward_seconds + slowest.backward_seconds);
  result.time[Phase::kWeightUpdate] = training.iterations() * slowest.update_seconds;
  if (stages.size() > 1)
    result.time[Phase::kStageTransfer] =
        2 * training.iterations() * (rounds - 1) * messageSeconds(linkOf(question, stages), bytes);
  result.memory_bytes = slowest.memory_bytes;
  return result;
}

}  // namespace sumac::planner
