#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/core/file.h"
#include "base/core/sha256.h"
#include "base/core/version.h"
#include "base/process/processor.h"
#include "engine/checkpoint/checkpoint_room.h"
#include "engine/model_file/describe.h"
#include "engine/model_file/model_file.h"
#include "job/progress/output_folder.h"
#include "worker/train/training_run.h"

// What a training run leaves when it is complete: the model, and what it says of itself.

namespace sumac::worker {
namespace {

/// How the workers exchanged, where it was by an all-reduce.
JobResult::AllReduce allReduceOf(const job::StrategySpec& strategy, const Roster& roster) {
  JobResult::AllReduce all_reduce;
  if (!isAllReduce(strategy.method)) return all_reduce;
  all_reduce.algorithm = toString(roster.shards.method());
  if (!roster.choice) return all_reduce;
  const MethodChoice& choice = *roster.choice;
  all_reduce.choice = JobResult::AllReduce::Choice();
  all_reduce.choice->is_resumed = choice.is_resumed;
  all_reduce.choice->links = choice.links;
  all_reduce.choice->costs = {{"hopSeconds", choice.costs.hop},
                              {"messageSeconds", choice.costs.message},
                              {"byteSeconds", choice.costs.byte},
                              {"addedByteSeconds", choice.costs.add}};
  for (const auto& [method, seconds] : choice.predicted)
    all_reduce.choice->predicted.emplace_back(toString(method), seconds);
  return all_reduce;
}

}  // namespace

Result<void> TrainingRun::writeModel() {
  if (setup_.emulation.isOn() || setup_.output_folder.empty()) return {};
  if (auto may = holdForResult(); !may) return may;
  std::vector<float> statistics(static_cast<std::size_t>(setup_.network.statistics));
  state_.parts().meanStatistics(statistics);
  ModelDescription description = describeModel(setup_.job, setup_.network, setup_.dataset);
  description.steps = total_steps_;
  description.numerics = numericsId(kernels_.variant());
  const Bytes file = encodeModelFile(description, setup_.network, state_.weights(), statistics);
  checkpoint::makeRoom(setup_.output_folder, checkpoint::fileBytes(0) + file.size(),
                       setup_.checkpoint_folder, total_steps_ + 1, setup_.plan_hash, log_);
  return replaceFile(OutputFolder(setup_.output_folder).model(), file, &exchange_.work());
}

JobResult TrainingRun::result() {
  const auto& strategy = setup_.job.strategy;
  const auto traffic = exchange_.statistics();
  const std::string kernels(toString(kernels_.variant()));
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
      .numerics = numericsId(kernels_.variant()),
      .cpu = processorName(),
      .seed = training().seed,
      .version = kVersion,
  };
  result.all_reduce = allReduceOf(strategy, start_.roster);
  result.steps = total_steps_;
  result.epochs = total_steps_ / batches().stepsPerEpoch();
  result.is_emulated = setup_.emulation.isOn();
  if (!result.is_emulated) putLearned(result);
  result.emulated_computing = stint_->emulatedComputing();
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
