#include "planner/advice/strategy_advice.h"

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "planner/advice/texts.h"
#include "planner/network/from_model.h"

namespace sumac::planner {
namespace {

const char* const kNotInThisVersion = "not available in this version";

/// The profiled batch with layers whose parts are most like those of the way.
const BatchProfile* layeredBatch(const JobProfile& profile, const JobChoice& choice) {
  const double part = static_cast<double>(choice.batch) / choice.logical_workers;
  const auto distance = [part](const BatchProfile& batch) {
    return std::abs(std::log(static_cast<double>(batch.samples) / batch.parts / part));
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
Result<NetworkCost> profiledNetwork(const AdviceQuestion& question, const JobChoice& choice) {
  auto network = networkCost(fromModel(question.network, "the job"));
  const BatchProfile* const batch = layeredBatch(question.profile, choice);
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

LinkCost linkOf(const PreparedWays& prepared) {
  const double rate = linkBytesPerSecond(prepared);
  return {prepared.costs.exchange.hop, rate > 0 ? 1 / rate : 0};
}

std::string whyNot(const Assessment& assessed, double seconds, double of_data) {
  if (assessed.refusal) return assessed.refusal->text;
  if (assessed.strategy == Strategy::kData) return {};
  if (assessed.strategy == Strategy::kSerial) return "one member alone";
  std::string text = kNotInThisVersion;
  if (of_data <= 0 || seconds <= 0) return text;
  const double ratio = seconds / of_data;
  return text + "; by the oracle a step takes " + digitsText(ratio) + " times as long as with data";
}

}  // namespace

Result<std::vector<StrategyAdvice>> strategiesFor(const AdviceQuestion& question,
                                                  const PreparedWays& prepared, const Way& way) {
  auto network = profiledNetwork(question, way.choice);
  if (!network) return network.error();
  ParallelCase parallel;
  parallel.network = *std::move(network);
  parallel.training = {.samples = way.choice.batch, .batch_size = way.choice.batch};
  parallel.machines.collectives = {{.members = way.choice.workers, .link = linkOf(prepared)}};
  if (way.memory.limit_bytes)
    parallel.machines.memory_bytes = static_cast<double>(*way.memory.limit_bytes);
  const auto ranked = rankStrategies(parallel, way.choice.workers);
  if (!ranked) return ranked.error();
  double of_data = 0;
  for (const Assessment& assessed : *ranked) {
    if (assessed.strategy == Strategy::kData && assessed.estimate)
      of_data = assessed.estimate->time.total();
  }
  std::vector<StrategyAdvice> advice;
  for (const Assessment& assessed : *ranked) {
    StrategyAdvice one;
    one.assessment = assessed;
    if (assessed.estimate) one.seconds_per_step = assessed.estimate->time.total();
    one.why_not = whyNot(assessed, one.seconds_per_step, of_data);
    advice.push_back(std::move(one));
  }
  return advice;
}

}  // namespace sumac::planner
