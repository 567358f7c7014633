#include <filesystem>
#include <string>

#include "common/base/sha256.h"
#include "common/base/version.h"
#include "common/process/processor.h"
#include "common/progress/output_folder.h"
#include "worker/train/training_run.h"

// What a training run says of itself when it is complete.

namespace sumac::worker {
namespace {

/// How the workers exchanged, where they did without servers and in other ways than the topology
/// says.
JobResult::AllReduce allReduceOf(const job::StrategySpec& strategy, const Roster& roster) {
  JobResult::AllReduce all_reduce;
  if (strategy.exchange != job::Exchange::kAllReduce) return all_reduce;
  all_reduce.algorithm = toString(roster.shards.reduction());
  if (!roster.choice) return all_reduce;
  const AlgorithmChoice& choice = *roster.choice;
  all_reduce.choice = JobResult::AllReduce::Choice();
  all_reduce.choice->is_resumed = choice.is_resumed;
  all_reduce.choice->links = choice.links;
  all_reduce.choice->costs = {{"hopSeconds", choice.costs.hop},
                              {"messageSeconds", choice.costs.message},
                              {"byteSeconds", choice.costs.byte},
                              {"addedByteSeconds", choice.costs.add}};
  for (const auto& [way, seconds] : choice.predicted)
    all_reduce.choice->predicted.emplace_back(toString(way), seconds);
  return all_reduce;
}

}  // namespace

JobResult TrainingRun::result() {
  const auto& strategy = setup_.job.strategy;
  const auto traffic = exchange_.statistics();
  const std::string kernels(toString(compute_.kernels.variant()));
  JobResult result;
  result.setting = {
      .job = setup_.job.name,
      .model = setup_.network.name,
      .topology = strategy.hasServers() ? "centralized" : "decentralized",
      .batch_size = training().batch_size,
      .logical_workers = setup_.plan.parts,
      .workers = start_.roster.workers(),
      .servers = start_.roster.servers(),
      .threads = training().threads,
      .kernels = kernels,
      .numerics = numericsId(compute_.kernels.variant()),
      .cpu = processorName(),
      .seed = training().seed,
      .version = kVersion,
  };
  result.all_reduce = allReduceOf(strategy, start_.roster);
  result.steps = total_steps_;
  result.epochs = total_steps_ / batches().stepsPerEpoch();
  result.is_emulated = emulated_.has_value();
  if (!emulated_) putLearned(result);
  if (unkept_) result.unkept = unkept_->message;
  result.started = started_;
  result.ended = wall_clock_.now();
  result.seconds = reporter_.secondsSinceStart();
  result.batches_per_second = timer_.stepsPerSecond();
  result.samples_per_second = timer_.stepsPerSecond() * static_cast<double>(training().batch_size);
  result.split = {.compute = snapshot_.compute_seconds,
                  .sum_wait = snapshot_.sum_wait_seconds,
                  .data_wait = prefetcher_.secondsWaited(),
                  .evaluation = snapshot_.evaluation_seconds,
                  .checkpoint = snapshot_.checkpoint_seconds};
  result.worker_times = exchange_.workerTimes();
  for (WorkerTimes& one : result.worker_times)
    if (one.worker == setup_.index) one = times();
  result.sent_bytes = traffic.bytes_sent;
  result.received_bytes = traffic.bytes_received;
  return result;
}

/// What training has come to.
void TrainingRun::putLearned(JobResult& result) const {
  if (last_.step > 0) result.loss = last_.loss;
  evaluations_->putInto(result);
  result.noise_scale = last_.noise_scale;
  result.parameters_sha256 = sha256Hex(std::as_bytes(state_.weights()));
  if (!setup_.output_folder.empty()) {
    result.model_path =
        std::filesystem::absolute(OutputFolder(setup_.output_folder).model()).string();
  }
}

}  // namespace sumac::worker
