#include "planner/exchange_cost/profiled_step.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/codec.h"
#include "common/membership/algorithm.h"
#include "common/plan/part_tree.h"
#include "common/profile/profile_use.h"

namespace sumac::planner {
namespace {

constexpr double kValueBytes = sizeof(float);

/// A vector that goes to one server and comes back.
Observation thereAndBack(const LinkMeasurement& link) {
  const std::int64_t values =
      std::max<std::int64_t>(1, link.bytes / static_cast<std::int64_t>(sizeof(float)));
  const ExchangePlan plan = makeExchangePlan({values}, /*parts=*/1);
  Observation observation;
  ExchangeShape& shape = observation.shape.exchange;
  shape.sharing = Sharing::kServers;
  shape.value_bytes = static_cast<double>(link.bytes);
  shape.wire_bytes = shape.value_bytes;
  shape.message_bytes = kValueBytes * static_cast<double>(plan.longest_run);
  observation.seconds = link.seconds.median;
  return observation;
}

Sharing decided(const job::TrainingJob& job, const ExchangePlan& plan, const ExchangeCosts& costs) {
  const Sharing sharing = sharingOf(job.strategy);
  if (sharing != Sharing::kAuto) return sharing;
  return sharingOf(chooseAlgorithm(plan, job.worker.replicas, costs, /*links=*/1).way);
}

/// Of the worker with the most samples.
Share largestShare(const job::TrainingJob& job, int threads) {
  const job::TrainingSpec& training = job.training;
  const int parts = training.logical_workers;
  const auto sampleAt = [&](int part) { return training.batch_size * part / parts; };
  Share largest;
  for (int i = 0; i < job.worker.replicas; ++i) {
    const TreeNode block = blockOf(i, job.worker.replicas, parts);
    const std::int64_t samples = sampleAt(block.end) - sampleAt(block.begin);
    if (samples > largest.samples) largest = {samples, block.size(), threads};
  }
  return largest;
}

StepCompute computeOf(const BatchProfile& batch, const ExchangePlan& plan) {
  const BackwardTimes backward = backwardTimes(batch);
  StepCompute compute;
  compute.forward_seconds = batch.forward.median;
  for (const GradientTime& tensor : backward.tensors) {
    compute.backward.push_back(
        {tensor.seconds, static_cast<double>(tensor.values) / static_cast<double>(plan.values)});
  }
  compute.rest_seconds = backward.rest_seconds;
  compute.update_seconds = batch.update.median;
  compute.threads = batch.threads;
  return compute;
}

/// Contributions of more than one part become final in the last one only.
void holdBack(StepCompute& compute, int parts) {
  if (parts <= 1 || compute.backward.empty()) return;
  double before = 0;
  for (GradientPiece& piece : compute.backward) {
    before += piece.seconds * (parts - 1) / parts;
    piece.seconds /= parts;
  }
  compute.backward.front().seconds += before;
}

}  // namespace

Result<CostFit> costsOf(const JobProfile& profile, std::string_view path) {
  StepCosts start;
  if (profile.sum_bytes_per_second > 0) start.exchange.add = 1 / profile.sum_bytes_per_second;
  std::vector<Observation> observations;
  for (const LinkMeasurement& link : profile.links) {
    if (link.path == path) observations.push_back(thereAndBack(link));
  }
  if (observations.empty()) {
    return Error{ErrorCode::kNotFound, "the profile has no measurement of " + std::string(path) +
                                           " links; measure again with sumac profile"};
  }
  return fitCosts(observations, start,
                  {Coefficient::kHop, Coefficient::kMessage, Coefficient::kByte});
}

ExchangeShape exchangeShapeOf(const job::TrainingJob& job, const ExchangePlan& plan,
                              const ExchangeCosts& costs) {
  ExchangeShape shape;
  shape.sharing = decided(job, plan, costs);
  shape.workers = job.worker.replicas;
  shape.servers = job.strategy.hasServers() ? job.server.replicas : 1;
  const auto values = static_cast<double>(plan.values);
  const auto sent = static_cast<double>(sizeOf(plan.codec));
  shape.value_bytes = values * kValueBytes;
  shape.wire_bytes = values * sent;
  shape.message_bytes = static_cast<double>(plan.longest_run) * sent;
  shape.contributions = mostContributions(plan, shape.workers);
  return shape;
}

int threadsOf(const job::TrainingJob& job, double cores) {
  if (job.training.threads > 0) return job.training.threads;
  return std::max(1, static_cast<int>(std::floor(cores / job.worker.replicas)));
}

Result<StepShape> profiledStep(const job::TrainingJob& job, const ExchangePlan& plan,
                               const JobProfile& profile, const ExchangeCosts& costs) {
  if (job.strategy.consistency != job::Consistency::kSynchronous)
    return Error{ErrorCode::kUnsupported, "only synchronous jobs are predicted"};
  const double cores = std::min<double>(profile.machine.cores,
                                        profile.machine.quota.value_or(profile.machine.cores));
  const Share share = largestShare(job, threadsOf(job, cores));
  const auto batch = batchFor(profile, share);
  if (!batch) return batch.error();
  StepShape step;
  step.exchange = exchangeShapeOf(job, plan, costs);
  step.compute = computeOf(*batch, plan);
  holdBack(step.compute, share.parts);
  return step;
}

}  // namespace sumac::planner
