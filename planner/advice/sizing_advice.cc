#include <cmath>

#include "planner/advice/advice_parts.h"
#include "planner/network/from_model.h"
#include "planner/sizing/memory_model.h"
#include "planner/sizing/server_lemma.h"
#include "planner/sizing/worker_lemma.h"

namespace sumac::planner {
namespace {

constexpr double kBytes = sizeof(float);

std::int64_t copiesOfParameters(const job::OptimizerSpec& optimizer) {
  constexpr std::int64_t kWithGradients = 3;  // weights, gradients, aggregated gradients
  if (optimizer.name == job::OptimizerName::kAdam) return kWithGradients + 2;
  return kWithGradients + (optimizer.momentum == 0.0 ? 0 : 1);
}

double parameterBytes(const AdviceQuestion& question) {
  double values = 0;
  for (const model::Tensor& tensor : question.network.tensors)
    values += static_cast<double>(tensor.count());
  return kBytes * values;
}

void addLargestBatch(const AdviceQuestion& question, const Configuration& one,
                     SizingAdvice& sizing) {
  if (question.network.isText()) sizing.words = question.network.input.front();
  sizing.memory_bytes = one.memory.limitOfOne(one.choice.members());
  if (!sizing.memory_bytes) return;
  const MemoryCopies copies = {.parameters = copiesOfParameters(question.job.training.optimizer),
                               .feature_maps = 2};
  const auto use = memoryUse(fromModel(question.network, "the job"), copies);
  if (!use) return;
  if (const auto largest = largestBatch(*use, *sizing.memory_bytes))
    sizing.largest_batch = *largest;
}

/// T_C: what the workers divide, and what an exchange can hide behind. The update waits for it.
double passesOf(const StepTime& step) {
  return step.forward + step.backward;
}

void addServers(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                const Configuration& one, SizingAdvice& sizing) {
  sizing.has_exchange = !hasNoExchange(one.choice);
  sizing.pass_seconds = passesOf(one.step);
  sizing.link_bytes_per_second = linkBytesPerSecond(prepared);
  if (!sizing.has_exchange) return;
  const auto servers = smallestServers({.parameter_bytes = std::llround(parameterBytes(question)),
                                        .workers = one.choice.workers,
                                        .compute_seconds = sizing.pass_seconds,
                                        .server_bytes_per_second = sizing.link_bytes_per_second});
  if (servers) sizing.servers = *servers;
}

void addWorkers(const PreparedConfigurations& prepared, const Configuration& one,
                SizingAdvice& sizing) {
  sizing.workers = one.choice.workers;
  if (sizing.workers == 1) {  // all of its step but the passes
    const auto ratio = overheadRatio(passesOf(one.step), one.step.seconds() - passesOf(one.step));
    if (ratio) sizing.overhead_ratio = *ratio;
    return;
  }
  const auto alone = stepOfOneWorker(prepared, one.choice.batch);
  if (!alone) return;
  sizing.speedup = *alone / one.step.seconds();
  if (*sizing.speedup <= 1) return;
  const auto ratio = overheadRatioForSpeedup(*sizing.speedup, sizing.workers);
  if (ratio) sizing.overhead_ratio = *ratio;
}

}  // namespace

SizingAdvice sizingFor(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                       const Configuration& one) {
  SizingAdvice sizing;
  addLargestBatch(question, one, sizing);
  addServers(question, prepared, one, sizing);
  addWorkers(prepared, one, sizing);
  return sizing;
}

}  // namespace sumac::planner
