#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "planner/advice/advice_parts.h"
#include "planner/network/from_model.h"

namespace sumac::planner {
namespace {

/// The profiled batch with layers by as many threads as the configuration has, of these the one
/// whose parts are most like its own.
const BatchProfile* layeredBatch(const JobProfile& profile, const Configuration& one) {
  const double part = static_cast<double>(one.choice.batch) / one.choice.logical_workers;
  const auto distance = [&](const BatchProfile& batch) {
    return std::pair(batch.threads != one.threads,
                     std::abs(std::log(static_cast<double>(batch.samples) / batch.parts / part)));
  };
  const BatchProfile* best = nullptr;
  for (const BatchProfile& batch : profile.batches) {
    if (batch.layers.empty() || batch.samples == 0) continue;
    if (best == nullptr || distance(batch) < distance(*best)) best = &batch;
  }
  return best;
}

/// The layers with their times. The profile leaves out layers that are computed with the one before
/// them: those take no time of their own.
Result<NetworkCost> profiledNetwork(const AdviceQuestion& question, const Configuration& one) {
  auto network = networkCost(fromModel(question.network, "the job"));
  const BatchProfile* const batch = layeredBatch(question.profile, one);
  if (!network || batch == nullptr) return network;
  std::map<std::string_view, const LayerProfile*> times;
  for (const LayerProfile& layer : batch->layers)
    times[layer.name] = &layer;
  const auto samples = static_cast<double>(batch->samples);
  for (LayerCost& layer : network->layers) {
    const auto found = times.find(layer.name);
    if (found == times.end()) continue;
    const LayerProfile& time = *found->second;
    layer.forward_seconds = time.forward_seconds / samples;
    layer.backward_seconds = (time.weightGradientSeconds() + time.input_gradient_seconds) / samples;
    layer.update_seconds = time.update_seconds;
  }
  return network;
}

LinkCost linkOf(const PreparedConfigurations& prepared) {
  const double rate = linkBytesPerSecond(prepared);
  return {prepared.costs.exchange.hop, rate > 0 ? 1 / rate : 0};
}

/// Makes serial training the predicted step of one worker; where none is predicted, what data
/// parallelism computes that of the configuration.
void scaleComputing(const PreparedConfigurations& prepared, const Configuration& one,
                    ParallelCase& parallel, StrategyBasis& basis) {
  const auto batch = static_cast<double>(one.choice.batch);
  double profiled = 0;
  for (const LayerCost& layer : parallel.network.layers)
    profiled += batch * (layer.forward_seconds + layer.backward_seconds) + layer.update_seconds;
  if (profiled <= 0) return;
  const auto alone = stepOfOneWorker(prepared, one.choice.batch);
  basis.has_layers = true;
  basis.seconds_of_one = alone;
  const StepTime& step = one.step;
  const double wanted =
      alone.value_or(one.choice.workers * (step.forward + step.backward) + step.update);
  const double factor = wanted / profiled;
  for (LayerCost& layer : parallel.network.layers) {
    layer.forward_seconds *= factor;
    layer.backward_seconds *= factor;
    layer.update_seconds *= factor;
  }
}

/// The fastest all-reduce of as many workers with the same mini-batch; null where there is none.
const PreparedConfiguration* bestAllReduce(const PreparedConfigurations& prepared,
                                           const JobChoice& choice) {
  const PreparedConfiguration* best = nullptr;
  for (const PreparedConfiguration& each : prepared.configurations) {
    if (!isAllReduce(each.choice.method)) continue;
    if (each.choice.workers != choice.workers || each.choice.batch != choice.batch) continue;
    if (best == nullptr ||
        predictedStep(prepared, each, {}).seconds() < predictedStep(prepared, *best, {}).seconds())
      best = &each;
  }
  return best;
}

/// As the oracle has it: nothing is final before the backward pass ends.
PreparedConfiguration withNothingHidden(PreparedConfiguration one) {
  StepCompute& compute = one.shape.compute;
  compute.rest_seconds = compute.backwardSeconds();
  compute.backward.clear();
  return one;
}

/// Makes data parallelism the best predicted all-reduce with nothing hidden; never cheaper than
/// with links that cost a thousandth.
Result<void> scaleLinks(const PreparedConfigurations& prepared, const Configuration& one,
                        ParallelCase& parallel, StrategyBasis& basis) {
  constexpr double kLeast = 1e-3;
  const PreparedConfiguration* const best = bestAllReduce(prepared, one.choice);
  if (best == nullptr) return {};
  const auto data = assess(parallel, Strategy::kData, {.groups = one.choice.workers, .inner = 1});
  if (!data) return data.error();
  const double exchange = data->estimate ? data->estimate->time.communication() : 0;
  if (exchange <= 0) return {};
  basis.all_reduce = best->choice;
  basis.exposed_seconds = predictedStep(prepared, withNothingHidden(*best), {}).seconds();
  basis.hidden_seconds = predictedStep(prepared, *best, {}).seconds();
  const double wanted = basis.exposed_seconds - data->estimate->time.computation();
  const double factor = std::max(kLeast, wanted / exchange);
  LinkCost& link = parallel.machines.collectives.front().link;
  link.latency_seconds *= factor;
  link.seconds_per_byte *= factor;
  return {};
}

}  // namespace

Result<void> addStrategies(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                           const Configuration& one, Advice& advice) {
  if (one.choice.workers == 1) return {};  // nothing is divided: all take as long
  auto network = profiledNetwork(question, one);
  if (!network) return network.error();
  ParallelCase parallel;
  parallel.network = *std::move(network);
  parallel.training = {.samples = one.choice.batch, .batch_size = one.choice.batch};
  parallel.machines.collectives = {{.members = one.choice.workers, .link = linkOf(prepared)}};
  if (const auto limit = one.memory.limitOfOne(one.choice.members()))
    parallel.machines.memory_bytes = static_cast<double>(*limit);
  scaleComputing(prepared, one, parallel, advice.strategies_basis);
  if (auto scaled = scaleLinks(prepared, one, parallel, advice.strategies_basis); !scaled)
    return scaled;
  auto ranked = rankStrategies(parallel, one.choice.workers);
  if (!ranked) return ranked.error();
  advice.strategies = *std::move(ranked);
  return {};
}

}  // namespace sumac::planner
