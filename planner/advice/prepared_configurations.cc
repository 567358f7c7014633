#include "planner/advice/prepared_configurations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "exchange/plan/exchange_plan.h"
#include "job/profile/disturbance.h"
#include "job/profile/profile_use.h"
#include "planner/advice/memory_needs.h"
#include "planner/exchange_cost/profiled_step.h"

namespace sumac::planner {
namespace {

// From so many pieces of a gradient on, those below a bucket are put together beforehand: a
// thousand configurations of a network of 10'000 layers are compared then, too.
constexpr std::size_t kManyPieces = 1000;

// Numbers of servers between two that differ by more are tried at even distances.
constexpr int kTriesBetween = 16;

/// On a machine of its own: as many as were profiled, and as the machine and the job's own limit
/// have cores for.
int threadsOnOwnMachine(const AdviceQuestion& question) {
  const double cores = coresOfMachine(question);
  const double usable = std::min(cores, question.worker_cores.value_or(cores));
  int most = 1;
  for (const BatchProfile& batch : question.profile.batches) {
    if (batch.threads <= usable) most = std::max(most, batch.threads);
  }
  return most;
}

/// Of up to `most` threads as many as were measured to be fastest: threads beyond the cores that
/// are free, or of layers that are too small, make a worker slower.
int fastestThreads(const JobProfile& profile, const job::TrainingJob& job, int most) {
  std::set<int> counts;
  for (const BatchProfile& batch : profile.batches) {
    if (batch.threads <= most) counts.insert(batch.threads);
  }
  int fastest = most;
  double best = std::numeric_limits<double>::infinity();
  for (const int threads : counts) {
    const auto batch = batchFor(profile, largestShare(job, threads));
    if (!batch || batch->computeSeconds() >= best) continue;
    best = batch->computeSeconds();
    fastest = threads;
  }
  return fastest;
}

MemberPlacement placementOf(const AdviceQuestion& question) {
  return {.shares_cores = question.place == Placement::kHere,
          .vocabulary = question.network.isText() ? question.network.vocabulary() : 0,
          .time_steps = timeStepsOf(question.network)};
}

Surroundings surroundingsOf(const AdviceQuestion& question) {
  Surroundings where;
  if (question.place == Placement::kHere) {
    where.shared_cores = sharedCoresOf(question.profile.machine);
    if (question.link_bytes_per_second)
      where.link_bytes_per_second = question.link_bytes_per_second->value;
    return where;
  }
  if (question.link_bytes_per_second) {
    where.link_bytes_per_second = question.link_bytes_per_second->value;
  } else if (question.machine && question.machine->link_bytes_per_second) {
    where.link_bytes_per_second = question.machine->link_bytes_per_second->value;
  }
  return where;
}

/// Pieces of at least a bucket, as stepTime() gathers them.
void gather(StepCompute& compute, double value_bytes) {
  if (compute.backward.size() < kManyPieces) return;
  std::vector<GradientPiece> pieces;
  GradientPiece open;
  for (const GradientPiece& piece : compute.backward) {
    open.seconds += piece.seconds;
    open.share += piece.share;
    if (open.share * value_bytes < compute.bucket_bytes) continue;
    pieces.push_back(open);
    open = {};
  }
  if (open.share > 0) pieces.push_back(open);
  compute.backward = std::move(pieces);
}

/// The job's own choice with a method: that which `algorithm: auto` takes.
JobChoice writtenChoice(const AdviceQuestion& question, const ExchangeCosts& costs) {
  JobChoice choice = choiceOf(question.job);
  if (choice.method) return choice;
  choice.method = methodOf(question.job, planOf(question, choice), costs);
  return choice;
}

/// Whether the job, as written, sizes itself while it trains on.
bool changesMembers(const job::TrainingJob& job) {
  return job.autoscaling && job.canChangeMembers();
}

/// Prepares the candidates one after the other. Those with the same share of samples have the same
/// computing, which is looked up once.
class Preparation {
 public:
  Preparation(const AdviceQuestion& question, PreparedConfigurations& prepared)
      : question_(question), prepared_(prepared) {}

  /// Fails where no candidate can be predicted, whatever share of samples it has.
  Result<void> add(const JobChoice& choice) {
    if (auto shared = share(choice); !shared) return shared;
    if (!compute_) {
      leaveOut(choice);
      return {};
    }
    const job::TrainingJob job = withChoice(job_, choice);
    prepared_.configurations.push_back({.choice = choice,
                                        .shape = shapeOf(job),
                                        .memory = memberMemory(question_, job, plan_),
                                        .compute_spread = compute_spread_});
    return {};
  }

  /// Of configurations that were added and differ in their servers alone: adds the best number of
  /// servers between those on both sides of the best. Fails as add().
  Result<void> addServersBetween(std::vector<JobChoice> group) {
    if (auto shared = share(group.front()); !shared) return shared;
    const auto weight = [this, choice = group.front()](int servers) {
      return weightOf(choice, servers);
    };
    std::ranges::sort(group, {}, &JobChoice::servers);
    const auto best = std::ranges::min_element(
        group, {}, [&weight](const JobChoice& each) { return weight(each.servers); });
    const int fewer = best == group.begin() ? best->servers : std::prev(best)->servers;
    const int more = best + 1 == group.end() ? best->servers : std::next(best)->servers;
    JobChoice added = *best;
    double least = weight(best->servers);
    for (int i = 1; i < kTriesBetween; ++i) {
      const int servers = fewer + (more - fewer) * i / kTriesBetween;
      if (const double one = weight(servers); one < least) {
        least = one;
        added.servers = servers;
      }
    }
    return added == *best || std::ranges::count(group, added) > 0 ? Result<void>() : add(added);
  }

 private:
  /// What the goal weighs of configurations with the same mini-batch and workers.
  double weightOf(JobChoice choice, int servers) {
    choice.servers = servers;
    const StepShape shape = shapeOf(withChoice(job_, choice));
    const double seconds = stepTime(shape, prepared_.costs, prepared_.where).seconds();
    return question_.goal == PlanGoal::kCost ? seconds * choice.members() : seconds;
  }

  /// Requires share() of the same.
  StepShape shapeOf(const job::TrainingJob& job) {
    plan_.codec = job.strategy.codec;
    return {exchangeShapeOf(job, plan_, prepared_.costs.exchange, placementOf(question_)),
            *compute_};
  }

  /// What all configurations with this mini-batch and these workers have in common.
  Result<void> share(const JobChoice& choice) {
    const auto key = std::tuple(choice.batch, choice.workers, choice.logical_workers);
    if (key == key_) return {};
    key_ = key;
    job_ = withChoice(question_.job, choice);
    if (job_.training.threads == 0)
      job_.training.threads =
          fastestThreads(question_.profile, job_, threadsByItself(question_, choice));
    plan_ = planOf(question_, choice);
    auto step = profiledStep(job_, plan_, question_.profile, prepared_.costs.exchange,
                             placementOf(question_));
    compute_.reset();
    if (!step && step.error().code != ErrorCode::kNotFound) return step.error();
    if (!step) return {};
    gather(step->compute, step->exchange.value_bytes);
    compute_ = std::move(step->compute);
    const auto batch = batchFor(question_.profile, largestShare(job_, compute_->threads));
    compute_spread_ = batch ? spreadOf(*batch) : 0;
    return {};
  }

  void leaveOut(const JobChoice& choice) {
    auto& list = prepared_.unpredicted;
    const Share missing = largestShare(
        job_, threadsOf(job_, coresOf(question_.profile.machine), placementOf(question_)));
    auto group = std::ranges::find(list, missing, &Unpredicted::share);
    if (group == list.end())
      group = list.insert(list.end(), {.share = missing, .candidates = 0, .example = choice});
    ++group->candidates;
    if (choice != prepared_.written) return;
    group->example = choice;
    group->has_written = true;
  }

  const AdviceQuestion& question_;    // outlives us
  PreparedConfigurations& prepared_;  // the same
  std::tuple<std::int64_t, int, int> key_;
  job::TrainingJob job_;
  ExchangePlan plan_;
  std::optional<StepCompute> compute_;
  double compute_spread_ = 0;
};

/// For each mini-batch, number of workers and codec: see prepareConfigurations().
Result<void> addServersBetween(Preparation& preparation, const PreparedConfigurations& prepared) {
  std::map<std::tuple<std::int64_t, int, Codec>, std::vector<JobChoice>> groups;
  for (const PreparedConfiguration& each : prepared.configurations) {
    const JobChoice& choice = each.choice;
    if (choice.servers > 0) groups[{choice.batch, choice.workers, choice.codec}].push_back(choice);
  }
  for (auto& [key, group] : groups) {
    if (auto added = preparation.addServersBetween(std::move(group)); !added) return added;
  }
  return {};
}

/// The configurations that differ from predicted ones in their codec alone: they would take as
/// long.
void leaveOutOtherCodec(Codec half, PreparedConfigurations& prepared) {
  const auto is_half = [half](const PreparedConfiguration& each) {
    return each.choice.codec == half;
  };
  const auto first = std::ranges::find_if(prepared.configurations, is_half);
  if (first == prepared.configurations.end()) return;
  JobChoice example = first->choice;
  example.codec = half == Codec::kBf16 ? Codec::kFp16 : Codec::kBf16;
  prepared.unpredicted.push_back({.same_as = half,
                                  .candidates = static_cast<std::size_t>(
                                      std::ranges::count_if(prepared.configurations, is_half)),
                                  .example = example});
}

}  // namespace

std::vector<std::int64_t> batchesToTry(const AdviceQuestion& question) {
  const std::int64_t own = question.job.training.batch_size;
  if (!question.noise) return {own};
  constexpr std::int64_t kSmallest = 8;  // times smaller, and larger, than the job's
  constexpr std::int64_t kLargest = 64;
  std::vector<std::int64_t> batches;
  for (std::int64_t divisor = kSmallest; divisor > 1; divisor /= 2) {
    if (own % divisor == 0) batches.push_back(own / divisor);
  }
  for (std::int64_t factor = 1; factor <= kLargest; factor *= 2) {
    if (own * factor <= question.samples.value_or(own * factor)) batches.push_back(own * factor);
  }
  return batches;
}

Result<PreparedConfigurations> prepareConfigurations(const AdviceQuestion& question) {
  const bool is_encrypted = question.job.transport == job::Transport::kCurve;
  const auto costs = costsOf(question.profile, is_encrypted ? "curve" : "tcp");
  if (!costs) return costs.error();
  PreparedConfigurations prepared;
  prepared.costs = costs->costs;
  prepared.measured_hop = prepared.costs.exchange.hop;
  prepared.link_error = costs->error();
  prepared.where = surroundingsOf(question);
  if (const Figure* const latency = latencyOf(question)) {
    double& hop = prepared.costs.exchange.hop;
    hop = std::max(hop, latency->value);
  }
  Preparation preparation(question, prepared);
  const bool has_fp16 = question.job.strategy.codec == Codec::kFp16;
  const Codec half = has_fp16 ? Codec::kFp16 : Codec::kBf16;
  prepared.written = writtenChoice(question, prepared.costs.exchange);
  const auto choices = candidates({.batches = batchesToTry(question),
                                   .most_workers = question.most_workers,
                                   .logical_workers = question.job.training.logical_workers,
                                   .half = half,
                                   .written = prepared.written,
                                   .least_workers = question.least_workers,
                                   .changes_members = changesMembers(question.job)});
  for (const JobChoice& choice : choices)
    if (const auto added = preparation.add(choice); !added) return added.error();
  if (const auto added = addServersBetween(preparation, prepared); !added) return added.error();
  leaveOutOtherCodec(half, prepared);
  if (!prepared.configurations.empty()) return prepared;
  if (prepared.unpredicted.empty())
    return Error{ErrorCode::kNotFound, "a mini-batch has fewer samples than there are parts"};
  return batchFor(question.profile, prepared.unpredicted.front().share).error();
}

std::optional<double> stepOfOneWorker(const PreparedConfigurations& prepared, std::int64_t batch) {
  std::optional<double> best;
  for (const PreparedConfiguration& each : prepared.configurations) {
    if (each.choice.members() > 1 || each.choice.batch != batch) continue;
    const double seconds = predictedStep(prepared, each, {}).seconds();
    best = std::min(best.value_or(seconds), seconds);
  }
  return best;
}

int threadsByItself(const AdviceQuestion& question, const JobChoice& choice) {
  if (question.job.training.threads > 0) return question.job.training.threads;
  if (question.place == Placement::kMachines) return threadsOnOwnMachine(question);
  return threadsOf(withChoice(question.job, choice), coresOf(question.profile.machine));
}

double coresOfMachine(const AdviceQuestion& question) {
  const bool is_typed = question.machine && question.machine->cores;
  return is_typed ? question.machine->cores->value : coresOf(question.profile.machine);
}

const Figure* latencyOf(const AdviceQuestion& question) {
  if (question.hop_seconds) return &*question.hop_seconds;
  const bool is_of_type = question.machine && question.machine->hop_seconds;
  return is_of_type ? &*question.machine->hop_seconds : nullptr;
}

double linkBytesPerSecond(const PreparedConfigurations& prepared) {
  const double byte = prepared.costs.exchange.byte;
  const double measured = byte > 0 ? 1 / byte : 0;
  const double limit = prepared.where.link_bytes_per_second;
  if (limit <= 0) return measured;
  return measured > 0 ? std::min(limit, measured) : limit;
}

StepTime predictedStep(const PreparedConfigurations& prepared, const PreparedConfiguration& one,
                       const Conditions& conditions) {
  StepCosts costs = prepared.costs;
  costs.exchange.hop = std::max(costs.exchange.hop, conditions.least_hop);
  Surroundings where = prepared.where;
  // Where a link's rate is known it is that link which changes, not the processors' share.
  if (where.link_bytes_per_second > 0) {
    where.link_bytes_per_second *= conditions.link_factor;
  } else {
    costs.exchange.byte /= conditions.link_factor;
  }
  if (conditions.compute_factor == 1) return stepTime(one.shape, costs, where);
  return stepTime({one.shape.exchange, one.shape.compute.slowedDown(conditions.compute_factor)},
                  costs, where);
}

}  // namespace sumac::planner
