#include "planner/exchange_cost/profiled_step.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "base/core/check.h"
#include "base/core/codec.h"
#include "base/core/units.h"
#include "exchange/membership/method_choice.h"
#include "exchange/membership/shard_map.h"
#include "exchange/plan/part_tree.h"
#include "job/profile/profile_use.h"

namespace sumac::planner {
namespace {

constexpr double kValueBytes = sizeof(float);

// What jobs are slower than their profiles, on two cores. Computing: of LeNet-5 with one worker,
// which exchanges nothing: samples come from another thread, and what is updated goes through the
// caches in between. Bytes, where members share cores: of an LSTM with two workers, whose processes
// spend 1.6 times as much of the cores on 22 MB as profiled exchanges do. Experiments fit both
// anew.
constexpr double kCrowding = 0.16;
constexpr double kExchangeFactor = 1.6;

/// An exchange without computing.
Observation thereAndBack(const LinkMeasurement& link, const ProfileMachine& machine) {
  const std::int64_t values =
      std::max<std::int64_t>(1, link.bytes / static_cast<std::int64_t>(sizeof(float)));
  const ExchangePlan plan = makeExchangePlan({values}, /*parts=*/1);
  Observation observation;
  ExchangeShape& shape = observation.shape.exchange;
  shape.method = link.method;
  shape.workers = link.workers;
  shape.servers = std::max(1, link.servers);
  shape.value_bytes = static_cast<double>(link.bytes);
  shape.wire_bytes = shape.value_bytes;
  shape.message_bytes = kValueBytes * static_cast<double>(plan.longest_run);
  observation.seconds = link.seconds.median;
  observation.where.shared_cores = sharedCoresOf(machine);
  return observation;
}

/// How many different words so many words of text have, of `vocabulary` in all, by Heaps' law with
/// the constants of text whose words are as frequent as Zipf's law says.
double differentWords(double words, double vocabulary) {
  constexpr double kFactor = 4.2;
  constexpr double kExponent = 0.72;
  return std::min({vocabulary, words, kFactor * std::pow(words, kExponent)});
}

/// Of the values that may be zero, how many are not, and so are sent.
struct NonZero {
  double of_embedding = 1;
  double of_state = 1;  // rows of the samples of others are zero
};

struct SentShares {
  NonZero contribution;  // of one worker
  NonZero sum;
};

/// Rows of an embedding whose words do not occur are zero.
SentShares sentShares(const job::TrainingJob& job, const ExchangePlan& plan,
                      const MemberPlacement& placement) {
  constexpr std::int64_t kTypical = 10'000;
  SentShares sent;
  sent.contribution.of_state = 1.0 / job.worker.replicas;
  const std::int64_t steps = placement.time_steps > 0 ? placement.time_steps : job.training.unroll;
  if (plan.embedding == 0 || steps == 0) return sent;
  const double rows =
      static_cast<double>(placement.vocabulary > 0 ? placement.vocabulary : kTypical);
  const double words = static_cast<double>(job.training.batch_size * steps);
  sent.contribution.of_embedding = differentWords(words / job.worker.replicas, rows) / rows;
  sent.sum.of_embedding = differentWords(words, rows) / rows;
  return sent;
}

std::vector<int> indices(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double valuesOf(const ExchangePlan& plan, const Range& range, const NonZero& sent) {
  double values = static_cast<double>(range.count);
  if (range.first + range.count <= plan.embedding) values *= sent.of_embedding;
  if (range.first >= plan.recurrentAt()) values *= sent.of_state;
  return values;
}

/// Values as they are sent.
struct SentValues {
  double contribution = 0;
  double sum = 0;
  double largest_share = 0;  // of both, that of the server or owner that has most
};

SentValues sentValues(const ExchangePlan& plan, const ExchangeShape& shape,
                      const SentShares& shares) {
  const bool has_servers = shape.method == ExchangeMethod::kServers;
  const int sharers = has_servers ? shape.servers : shape.workers;
  const ShardMap map = ShardMap::shareOut(shape.method, plan, indices(sharers));
  std::map<int, double> by_owner;
  SentValues sent;
  double most = 0;
  for (const Range& range : plan.ranges) {
    const double contribution = valuesOf(plan, range, shares.contribution);
    const double sum = valuesOf(plan, range, shares.sum);
    sent.contribution += contribution;
    sent.sum += sum;
    double& owned = by_owner[map.owners()[range.id]];
    owned += contribution + sum;
    most = std::max(most, owned);
  }
  sent.largest_share = most / (sent.contribution + sent.sum);
  return sent;
}

/// Whole cores, as workers count them (engine/nn/processors.h).
int coresOfWorker(const job::TrainingJob& job, double cores, const MemberPlacement& placement) {
  const int whole = static_cast<int>(std::floor(cores));
  return placement.shares_cores ? whole / job.worker.replicas : whole;
}

/// Nothing, or why the tensors are not those of the plan's network. A file says how large they are.
Result<void> checkTensors(const BatchProfile& batch, const ExchangePlan& plan) {
  std::int64_t left = plan.parameters;
  for (const LayerProfile& layer : batch.layers) {
    for (const TensorProfile& tensor : layer.tensors) {
      if (tensor.values > left) {
        return Error{ErrorCode::kInvalid, "the profile's tensors have more than the network's " +
                                              counted(plan.parameters, "parameter") +
                                              "; measure again with sumac profile"};
      }
      left -= tensor.values;
    }
  }
  return {};
}

/// Of text, large tensors become final bit by bit: as pieces of about a bucket, in equal times
/// (engine/sequence). Of images a tensor becomes final as a whole (engine/image).
void addPieces(const GradientTime& tensor, const ExchangePlan& plan, StepCompute& compute) {
  const double bytes = kValueBytes * static_cast<double>(tensor.values);
  constexpr double kMost = 1000;  // smaller ones than a thousandth change no time
  const bool is_text = plan.embedding > 0;
  const double pieces =
      is_text ? std::clamp(std::floor(bytes / compute.bucket_bytes), 1.0, kMost) : 1;
  const double share = static_cast<double>(tensor.values) / static_cast<double>(plan.values);
  for (int i = 0; i < static_cast<int>(pieces); ++i)
    compute.backward.push_back({tensor.seconds / pieces, share / pieces});
}

StepCompute computeOf(const BatchProfile& batch, const ExchangePlan& plan, double bucket_bytes) {
  const BackwardTimes backward = backwardTimes(batch);
  StepCompute compute;
  compute.forward_seconds = batch.forward.median;
  compute.bucket_bytes = bucket_bytes;
  for (const GradientTime& tensor : backward.tensors)
    addPieces(tensor, plan, compute);
  compute.rest_seconds = backward.rest_seconds;
  compute.update_seconds = batch.update.median;
  compute.threads = batch.threads;
  compute.crowded = batch.crowded;
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
    if (link.path == path) observations.push_back(thereAndBack(link, profile.machine));
  }
  if (observations.empty()) {
    return Error{ErrorCode::kNotFound, "the profile has no measurement of " + std::string(path) +
                                           " links; measure again with sumac profile"};
  }
  std::vector<Coefficient> unknown{Coefficient::kHop, Coefficient::kMessage, Coefficient::kByte};
  const auto isOfOneWorker = [](const Observation& one) { return one.shape.exchange.workers == 1; };
  if (!std::ranges::all_of(observations, isOfOneWorker)) {
    unknown.push_back(Coefficient::kStep);
    unknown.push_back(Coefficient::kFarByte);
  }
  auto fit = fitCosts(observations, start, unknown);
  if (!fit) return fit;
  fit->costs.crowding = kCrowding;
  fit->costs.exchange_factor = kExchangeFactor;
  return fit;
}

std::int64_t timeStepsOf(const model::Network& network) {
  return network.isText() ? model::count(network.input) : 0;
}

ExchangeMethod methodOf(const job::TrainingJob& job, const ExchangePlan& plan,
                        const ExchangeCosts& costs) {
  if (job.strategy.method) return *job.strategy.method;
  return chooseMethod(plan, job.worker.replicas, costs, /*links=*/1).method;
}

ExchangeShape exchangeShapeOf(const job::TrainingJob& job, const ExchangePlan& plan,
                              const ExchangeCosts& costs, const MemberPlacement& placement) {
  ExchangeShape shape;
  const int workers = job.worker.replicas;
  shape.method = methodOf(job, plan, costs);
  shape.workers = workers;
  shape.servers = job.strategy.hasServers() ? job.server.replicas : 1;
  const auto values = static_cast<double>(plan.values);
  const auto sent = static_cast<double>(sizeOf(plan.codec));
  const SentValues wire = sentValues(plan, shape, sentShares(job, plan, placement));
  shape.value_bytes = values * kValueBytes;
  shape.wire_bytes = wire.contribution * sent;
  shape.sum_bytes = wire.sum * sent;
  if (shape.method == ExchangeMethod::kServers || isByOwners(shape.method))
    shape.largest_share = wire.largest_share;
  shape.message_bytes = static_cast<double>(plan.longest_run) * sent;
  shape.contributions = mostContributions(plan, shape.workers);
  return shape;
}

int threadsOf(const job::TrainingJob& job, double cores, const MemberPlacement& placement) {
  if (job.training.threads > 0) return job.training.threads;
  return std::max(1, coresOfWorker(job, cores, placement));
}

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

Result<StepShape> profiledStep(const job::TrainingJob& job, const ExchangePlan& plan,
                               const JobProfile& profile, const ExchangeCosts& costs,
                               const MemberPlacement& placement) {
  if (job.strategy.consistency != job::Consistency::kSynchronous)
    return Error{ErrorCode::kUnsupported, "only synchronous jobs are predicted"};
  const double cores = coresOf(profile.machine);
  const int threads = threadsOf(job, cores, placement);
  const Share share = largestShare(job, threads);
  const auto batch = batchFor(profile, share);
  if (!batch) return batch.error();
  if (const auto checked = checkTensors(*batch, plan); !checked) return checked.error();
  const bool has_spare = coresOfWorker(job, cores, placement) > threads;
  StepShape step;
  step.exchange = exchangeShapeOf(job, plan, costs, placement);
  step.compute = computeOf(*batch, plan, has_spare ? kBucketBytesBeside : kBucketBytes);
  holdBack(step.compute, share.parts);
  return step;
}

}  // namespace sumac::planner
