#include <vector>

#include "base/core/sha256.h"
#include "base/core/version.h"
#include "base/process/processor.h"

#include "libsumac/program_run.h"

// What a program's training leaves when it is complete.

namespace sumac::program {

JobResult ProgramRun::result() {
  const Settings& settings = setup_.settings;
  const job::TrainingJob& job = settings.job;
  const auto traffic = exchange_.statistics();
  JobResult result;
  result.setting = {
      .job = job.name,
      .model = "program",
      .topology = job.strategy.hasServers() ? "centralized" : "decentralized",
      .batch_size = setup_.batchSize(),
      .logical_workers = setup_.parts(),
      .workers = start_.roster.workers(),
      .servers = start_.roster.servers(),
      .threads = job.training.threads,
      .kernels = "baseline",
      .numerics = programNumerics(),
      .cpu = processorName(),
      .seed = job.training.seed,
      .version = kVersion,
  };
  if (!settings.is_alone && isAllReduce(job.strategy.method))
    result.all_reduce.algorithm = toString(start_.roster.shards.method());
  result.steps = setup_.total_steps;
  result.epochs = setup_.total_steps / setup_.steps_per_epoch;
  if (last_.step > 0) result.loss = last_.loss;
  result.valid_accuracy = evaluated_.valid_accuracy;
  result.test_accuracy = evaluated_.test_accuracy;
  std::vector<BytesView> model;
  for (const auto& view : registered_.views(/*is_model=*/true))
    model.push_back(view.data);
  result.parameters_sha256 = sha256HexOf(model);
  result.model_path = files_.modelPath();
  if (files_.unkept()) result.unkept = files_.unkept()->message;
  result.started = started_;
  result.ended = wall_clock_.now();
  result.seconds = reporter_.secondsSinceStart();
  result.batches_per_second = timer_.stepsPerSecond();
  result.samples_per_second = timer_.stepsPerSecond() * static_cast<double>(setup_.batchSize());
  result.split = {.compute = computed_ + updated_, .sum_wait = waited_};
  result.worker_times = exchange_.workerTimes();
  for (WorkerTimes& one : result.worker_times)
    if (one.worker == settings.index) one = times();
  result.sent_bytes = traffic.bytes_sent;
  result.received_bytes = traffic.bytes_received;
  return result;
}

}  // namespace sumac::program
