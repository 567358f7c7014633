#include <cmath>
#include <string>

#include "base/core/units.h"
#include "planner/advice/advice_parts.h"
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
  const auto limit = way.memory.limitOfOne(way.choice.members());
  if (!limit) {
    sizing.largest_batch_text =
        "the largest mini-batch is not known: no memory of a member is given";
    return;
  }
  const MemoryCopies copies = {.parameters = copiesOfParameters(question.job.training.optimizer),
                               .feature_maps = 2};
  const auto use = memoryUse(fromModel(question.network, "the job"), copies);
  const auto largest = use ? largestBatch(*use, *limit) : Result<std::int64_t>(use.error());
  if (!largest) {
    sizing.largest_batch_text = largest.error().message;
    return;
  }
  sizing.largest_batch = *largest;
  sizing.largest_batch_text =
      "one worker's share of a mini-batch may have " + counted(*largest, "sample") +
      (question.network.isText()
           ? " of " + counted(question.network.input.front(), "word") + " each in "
           : " in ") +
      memoryText(*limit) +
      " if it is computed at once; Sumac computes its parts one after the other";
}

/// T_C: what the workers divide, and what an exchange can hide behind. The update waits for it.
double passesOf(const StepTime& step) {
  return step.forward + step.backward;
}

void addServers(const AdviceQuestion& question, const PreparedWays& prepared, const Way& way,
                SizingAdvice& sizing) {
  if (hasNoExchange(way.choice)) return;
  const double compute = passesOf(way.step);
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

/// `when` is what the ratio does not count.
std::string ratioText(double ratio, const std::string& when) {
  std::string text =
      "R_O, what does not divide by the workers, is " + percentText(ratio) + " of what does" + when;
  const auto limit = speedupLimit(ratio);
  if (limit && std::isfinite(*limit))
    text += ": no number is more than " + digitsText(*limit) + " times as fast";
  return text;
}

/// R_O as one worker has it: all of its step but the passes.
void addRatioOfOne(const StepTime& step, SizingAdvice& sizing) {
  const auto ratio = overheadRatio(passesOf(step), step.seconds() - passesOf(step));
  if (ratio) sizing.overhead_ratio = *ratio;
  sizing.workers_text =
      ratio ? ratioText(*ratio, ", before any exchange among several") : ratio.error().message;
}

void addWorkers(const PreparedWays& prepared, const Way& way, SizingAdvice& sizing) {
  const int workers = way.choice.workers;
  if (workers == 1) return addRatioOfOne(way.step, sizing);
  const auto one = stepOfOneWorker(prepared, way.choice.batch);
  if (!one) {
    sizing.workers_text =
        "no step of one worker is predicted, so what does not divide is not known";
    return;
  }
  const double speedup = *one / way.step.seconds();
  const std::string times = "by the predicted steps " + counted(workers, "worker") + " are " +
                            digitsText(speedup) + " times as fast as one";
  if (speedup <= 1) {
    sizing.workers_text = times + ": no overhead ratio R_O explains that, more cannot help";
    return;
  }
  const auto ratio = overheadRatioForSpeedup(speedup, workers);
  if (!ratio) {
    sizing.workers_text = times + ", more than the rule allows: R_O would be negative";
    return;
  }
  sizing.overhead_ratio = *ratio;
  sizing.workers_text = times + ", so " + ratioText(*ratio, "");
}

}  // namespace

SizingAdvice sizingFor(const AdviceQuestion& question, const PreparedWays& prepared,
                       const Way& way) {
  SizingAdvice sizing;
  addLargestBatch(question, way, sizing);
  addServers(question, prepared, way, sizing);
  addWorkers(prepared, way, sizing);
  return sizing;
}

}  // namespace sumac::planner
