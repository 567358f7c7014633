#include "planner/advice/job_choice.h"

#include <algorithm>
#include <bit>

#include "base/core/check.h"
#include "base/core/text.h"
#include "job/document/limits.h"

namespace sumac::planner {
namespace {

constexpr int kEachUpTo = 8;

bool isPowerOfTwo(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

/// 1, 2, 4, ... up to `workers`, and `workers`.
std::vector<int> serverCounts(int workers) {
  std::vector<int> counts;
  for (int count = 1; count < workers; count *= 2)
    counts.push_back(count);
  counts.push_back(workers);
  return counts;
}

JobChoice allReduce(JobChoice choice, job::Algorithm algorithm) {
  choice.exchange = job::Exchange::kAllReduce;
  choice.algorithm = algorithm;
  return choice;
}

JobChoice decentralized(JobChoice choice) {
  choice.topology = job::Topology::kDecentralized;
  return choice;
}

/// Who sums, for a number of workers.
std::vector<JobChoice> exchanges(JobChoice choice) {
  std::vector<JobChoice> choices;
  for (const int servers : serverCounts(std::min(choice.workers, job::kMostServers))) {
    choices.push_back(choice);
    choices.back().servers = servers;
  }
  if (choice.workers > job::kMostPeers) return choices;
  choices.push_back(decentralized(choice));
  if (choice.workers == 1) return choices;  // it exchanges nothing, whatever that is called
  choices.push_back(allReduce(choice, job::Algorithm::kDirect));
  if (isPowerOfTwo(choice.workers) && isPowerOfTwo(choice.logical_workers))
    choices.push_back(allReduce(choice, job::Algorithm::kHalvingDoubling));
  choices.push_back(allReduce(choice, job::Algorithm::kRing));
  return choices;
}

}  // namespace

std::string exchangeName(const JobChoice& choice) {
  if (choice.exchange == job::Exchange::kParameterServer)
    return choice.topology == job::Topology::kCentralized ? "centralized" : "decentralized";
  switch (choice.algorithm) {
    case job::Algorithm::kAuto: return "auto";
    case job::Algorithm::kDirect: return "direct";
    case job::Algorithm::kScatterGather: return "scatterGather";
    case job::Algorithm::kHalvingDoubling: return "halvingDoubling";
    case job::Algorithm::kRing: return "ring";
  }
  return {};
}

bool hasNoExchange(const JobChoice& choice) {
  return choice.workers == 1 && choice.servers == 0;
}

std::string exchangeText(const JobChoice& choice) {
  return hasNoExchange(choice) ? "none" : exchangeName(choice);
}

std::string toString(const JobChoice& choice) {
  if (hasNoExchange(choice)) return "1 worker, no exchange, batch " + std::to_string(choice.batch);
  std::string text = counted(choice.workers, "worker") + ", ";
  if (choice.servers > 0) text += counted(choice.servers, "server") + ", ";
  text += exchangeName(choice) + ", batch " + std::to_string(choice.batch) + ", ";
  return text + std::string(toString(choice.codec));
}

JobChoice choiceOf(const job::TrainingJob& job) {
  JobChoice choice;
  choice.batch = job.training.batch_size;
  choice.workers = job.worker.replicas;
  choice.logical_workers = job.training.logical_workers;
  choice.servers = job.strategy.hasServers() ? job.server.replicas : 0;
  choice.exchange = job.strategy.exchange;
  choice.topology = job.strategy.topology;
  choice.algorithm = job.strategy.algorithm;
  choice.codec = job.strategy.codec;
  if (!hasNoExchange(choice)) return choice;
  choice.exchange = job::Exchange::kParameterServer;
  choice.topology = job::Topology::kDecentralized;
  choice.algorithm = job::Algorithm::kAuto;
  choice.codec = Codec::kFp32;
  return choice;
}

job::TrainingJob withChoice(job::TrainingJob job, const JobChoice& choice) {
  job.training.batch_size = choice.batch;
  job.training.logical_workers = choice.logical_workers;
  job.worker = {.replicas = choice.workers, .min_replicas = {}, .max_replicas = {}};
  job.server.replicas = choice.servers;
  job.strategy.exchange = choice.exchange;
  job.strategy.topology = choice.topology;
  job.strategy.algorithm = choice.algorithm;
  job.strategy.codec = choice.codec;
  return job;
}

std::vector<int> workerCounts(int most) {
  std::vector<int> counts;
  for (int count = 1; count <= std::min(most, kEachUpTo); ++count)
    counts.push_back(count);
  for (int power = kEachUpTo; power <= most; power *= 2) {
    for (const int count : {power + power / 2, 2 * power}) {
      if (count <= most) counts.push_back(count);
    }
  }
  return counts;
}

std::vector<JobChoice> candidates(const CandidateSpace& space) {
  SUMAC_CHECK(space.most_workers >= 1 && space.logical_workers >= 1, space.most_workers,
              space.logical_workers);
  std::vector<JobChoice> choices;
  for (const std::int64_t batch : space.batches) {
    for (const int workers : workerCounts(space.most_workers)) {
      JobChoice choice;
      choice.batch = batch;
      choice.workers = workers;
      choice.logical_workers = std::max(workers, space.logical_workers);
      if (choice.logical_workers > batch) continue;
      for (JobChoice& one : exchanges(choice)) {
        for (const Codec codec : {Codec::kFp32, space.half}) {
          if (hasNoExchange(one) && codec != Codec::kFp32) continue;
          one.codec = codec;
          choices.push_back(one);
        }
      }
    }
  }
  return choices;
}

}  // namespace sumac::planner
