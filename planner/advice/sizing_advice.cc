#include "planner/advice/sizing_advice.h"

#include <cmath>
#include <string>

#include "common/base/text.h"
#include "planner/advice/texts.h"
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

void addLargestBatch(const AdviceQuestion& question, const Way& way, SizingAdvice& sizing) {
  if (!way.memory.limit_bytes) {
    sizing.largest_batch_text =
        "the largest mini-batch is not known: no memory of a member is given";
    return;
  }
  const MemoryCopies copies = {.parameters = copiesOfParameters(question.job.training.optimizer),
                               .feature_maps = 2};
  const auto use = memoryUse(fromModel(question.network, "the job"), copies);
  const auto largest =
      use ? largestBatch(*use, *way.memory.limit_bytes) : Result<std::int64_t>(use.error());
  if (!largest) {
    sizing.largest_batch_text = largest.error().message;
    return;
  }
  sizing.largest_batch = *largest;
  sizing.largest_batch_text =
      "one worker's share of a mini-batch may have " + counted(*largest, "sample") + " in " +
      bytesText(static_cast<std::uint64_t>(*way.memory.limit_bytes)) +
      " if it is computed at once; Sumac computes its parts one after the other";
}

void addServers(const AdviceQuestion& question, const PreparedWays& prepared, const Way& way,
                SizingAdvice& sizing) {
  const double compute = way.step.forward + way.step.backward + way.step.update;
  const double rate = linkBytesPerSecond(prepared);
  const ServerLoad load = {.parameter_bytes = std::llround(parameterBytes(question)),
                           .workers = way.choice.workers,
                           .compute_seconds = compute,
                           .server_bytes_per_second = rate};
  const auto servers = smallestServers(load);
  if (!servers) {
    sizing.servers_text = servers.error().message;
    return;
  }
  sizing.servers = *servers;
  sizing.servers_text = counted(*servers, "server") + " would hide the exchange of " +
                        counted(way.choice.workers, "worker") + " behind " + durationText(compute) +
                        " of computing, at " + linkText(rate) + " for each";
  if (*servers > way.choice.workers)
    sizing.servers_text += ": more than there are workers, so the network bounds the job";
}

void addWorkers(const Way& way, SizingAdvice& sizing) {
  const double compute =
      way.choice.workers * (way.step.forward + way.step.backward) + way.step.update;
  const double overhead = way.step.exchange + way.step.other;
  const auto ratio = overheadRatio(compute, overhead);
  if (!ratio) {
    sizing.workers_text = ratio.error().message;
    return;
  }
  sizing.overhead_ratio = *ratio;
  const auto speedup = speedupOf(*ratio, way.choice.workers);
  const auto limit = speedupLimit(*ratio);
  sizing.workers_text =
      "what does not divide by the workers is " + percentText(*ratio) + " of computing: ";
  if (speedup)
    sizing.workers_text += counted(way.choice.workers, "worker") + " are " + digitsText(*speedup) +
                           " times as fast as one";
  if (limit && std::isfinite(*limit))
    sizing.workers_text += ", and no number is more than " + digitsText(*limit) + " times";
}

}  // namespace

SizingAdvice sizingFor(const AdviceQuestion& question, const PreparedWays& prepared,
                       const Way& way) {
  SizingAdvice sizing;
  addLargestBatch(question, way, sizing);
  addServers(question, prepared, way, sizing);
  addWorkers(way, sizing);
  return sizing;
}

}  // namespace sumac::planner
