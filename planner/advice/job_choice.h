#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/codec.h"
#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// One configuration to run a job: what a user decides before starting it. A value type.
struct JobChoice {
  std::int64_t batch = 1;  // samples of a step, of all workers
  int workers = 1;
  int logical_workers = 1;  // V: the job's, unless there are more workers
  int servers = 0;          // 0 where the workers sum
  std::optional<ExchangeMethod> method = ExchangeMethod::kServers;  // none: auto
  Codec codec = Codec::kFp32;

  int members() const { return workers + servers; }
  bool operator==(const JobChoice&) const = default;
};

/// One worker without servers: it exchanges nothing, however its job names that.
bool hasNoExchange(const JobChoice& choice);

/// The choice that a job makes by itself; an algorithm `auto` stays as it is. Of one worker without
/// servers it is the one of candidates(), since the others are the same.
JobChoice choiceOf(const job::TrainingJob& job);

/// The job with this choice in place of its own.
job::TrainingJob withChoice(job::TrainingJob job, const JobChoice& choice);

/// How a job with this choice cuts and sends its gradient.
ExchangePlan planOf(const AdviceQuestion& question, const JobChoice& choice);

/// What to try.
struct CandidateSpace {
  std::vector<std::int64_t> batches;
  int most_workers = 1;
  int logical_workers = 1;    // of the job: kept where there are no more workers
  Codec half = Codec::kBf16;  // that is tried beside fp32: of bf16 and fp16 times are the same
  std::optional<JobChoice> written = {};  // the job's own, with its method; nothing: not tried
  int least_workers = 1;
  bool changes_members = false;  // while it trains: only what allows that
};

/// The numbers of workers that are tried: 1 to 8, then 12, 16, 24, 32, ... up to `most`, and the
/// job's `own` where that is not more.
std::vector<int> workerCounts(int most, int own = 1);

/// All configurations of the space that the job's schema allows, in a fixed order, simple ones
/// first: servers 1 to 8, then 16, 32, ... up to the workers, and as many as they are;
/// decentralised; all-reduce direct, by halving (workers and V powers of two) and in a ring; each
/// with fp32 and the half codec; where members change, without a ring and with fp32 alone. One
/// worker without servers is one configuration only. None has fewer samples or parts than workers.
/// The job as written is among them whatever it is, even with more workers than that: last, where
/// the rest does not have it. Requires batches and numbers >= 1.
std::vector<JobChoice> candidates(const CandidateSpace& space);

}  // namespace sumac::planner
