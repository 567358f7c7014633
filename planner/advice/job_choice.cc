#include "planner/advice/job_choice.h"

#include <algorithm>
#include <bit>

#include "base/core/check.h"
#include "job/document/limits.h"

namespace sumac::planner {
namespace {

constexpr int kEachUpTo = 8;

bool isPowerOfTwo(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

/// 1 to 8, then 16, 32, ... up to `workers`, and `workers`.
std::vector<int> serverCounts(int workers) {
  std::vector<int> counts;
  for (int count = 1; count < workers; count = count < kEachUpTo ? count + 1 : 2 * count)
    counts.push_back(count);
  counts.push_back(workers);
  return counts;
}

/// Who sums, for a number of workers.
std::vector<JobChoice> exchanges(JobChoice choice) {
  std::vector<JobChoice> choices;
  for (const int servers : serverCounts(std::min(choice.workers, job::kMostServers))) {
    choices.push_back(choice);
    choices.back().servers = servers;
  }
  if (choice.workers > job::kMostPeers) return choices;
  for (const ExchangeMethod method : {ExchangeMethod::kDecentralized, ExchangeMethod::kDirect,
                                      ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const bool halves = method == ExchangeMethod::kHalvingDoubling;
    if (halves && !(isPowerOfTwo(choice.workers) && isPowerOfTwo(choice.logical_workers))) continue;
    choice.method = method;
    choices.push_back(choice);
    if (choice.workers == 1) break;  // it exchanges nothing, whatever that is called
  }
  return choices;
}

}  // namespace

bool hasNoExchange(const JobChoice& choice) {
  return choice.workers == 1 && choice.servers == 0;
}

JobChoice choiceOf(const job::TrainingJob& job) {
  JobChoice choice;
  choice.batch = job.training.batch_size;
  choice.workers = job.worker.replicas;
  choice.logical_workers = job.training.logical_workers;
  choice.servers = job.server.replicas;
  choice.method = job.strategy.method;
  choice.codec = job.strategy.codec;
  if (!hasNoExchange(choice)) return choice;
  choice.method = ExchangeMethod::kDecentralized;
  choice.codec = Codec::kFp32;
  return choice;
}

job::TrainingJob withChoice(job::TrainingJob job, const JobChoice& choice) {
  job.training.batch_size = choice.batch;
  job.training.logical_workers = choice.logical_workers;
  job.worker = {.replicas = choice.workers, .min_replicas = {}, .max_replicas = {}};
  job.server.replicas = choice.servers;
  job.strategy.method = choice.method;
  job.strategy.codec = choice.codec;
  return job;
}

ExchangePlan planOf(const AdviceQuestion& question, const JobChoice& choice) {
  ExchangePlan plan = makeExchangePlan(question.network, choice.batch, choice.logical_workers);
  plan.codec = choice.codec;
  if (question.job.training.noise_scale) addSquares(plan);
  return plan;
}

std::vector<int> workerCounts(int most, int own) {
  std::vector<int> counts;
  for (int count = 1; count <= std::min(most, kEachUpTo); ++count)
    counts.push_back(count);
  for (int power = kEachUpTo; power <= most; power *= 2) {
    for (const int count : {power + power / 2, 2 * power}) {
      if (count <= most) counts.push_back(count);
    }
  }
  const auto place = std::ranges::lower_bound(counts, own);
  if (own <= most && (place == counts.end() || *place != own)) counts.insert(place, own);
  return counts;
}

std::vector<JobChoice> candidates(const CandidateSpace& space) {
  SUMAC_CHECK(space.most_workers >= 1 && space.logical_workers >= 1, space.most_workers,
              space.logical_workers);
  const int own = space.written ? space.written->workers : 1;
  std::vector<JobChoice> choices;
  for (const std::int64_t batch : space.batches) {
    for (const int workers : workerCounts(space.most_workers, own)) {
      if (workers < space.least_workers) continue;
      JobChoice choice;
      choice.batch = batch;
      choice.workers = workers;
      choice.logical_workers = std::max(workers, space.logical_workers);
      if (choice.logical_workers > batch) continue;
      for (JobChoice& one : exchanges(choice)) {
        if (space.changes_members && one.method == ExchangeMethod::kRing) continue;
        for (const Codec codec : {Codec::kFp32, space.half}) {
          const bool is_exact_alone = hasNoExchange(one) || space.changes_members;
          if (is_exact_alone && codec != Codec::kFp32) continue;
          one.codec = codec;
          choices.push_back(one);
        }
      }
    }
  }
  if (space.written && std::ranges::count(choices, *space.written) == 0)
    choices.push_back(*space.written);
  return choices;
}

}  // namespace sumac::planner
