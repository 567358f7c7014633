#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"
#include "planner/exchange_cost/step_time.h"

namespace sumac::planner {

/// A way with what its prediction is computed from.
struct PreparedWay {
  JobChoice choice;
  StepShape shape;
  MemberMemory memory;
};

/// All ways of a question, before any number of its surroundings is put in: what is compared under
/// several conditions is prepared once.
struct PreparedWays {
  std::vector<PreparedWay> ways;
  std::vector<Unpredicted> unpredicted;  // candidates that the profile does not reach
  StepCosts costs;                       // as measured
  Surroundings where;
  int threads = 1;  // of a worker on a machine of its own; where cores are shared, of one alone
};

/// Conditions that differ from the question's: for what would change the answer.
struct Conditions {
  double compute_factor = 1;  // of the times of computing
  double link_factor = 1;     // of the rate of links
};

/// Predicts with profiledStep() of the same model that `sumac experiment` uses. Fails with the
/// reason where the costs of links are not in the profile, or no candidate can be predicted.
Result<PreparedWays> prepareWays(const AdviceQuestion& question);

/// One step of a prepared way.
StepTime predictedStep(const PreparedWays& prepared, const PreparedWay& way,
                       const Conditions& conditions);

/// The threads that compute in each worker of a way.
int threadsOfWorker(const AdviceQuestion& question, const PreparedWays& prepared,
                    const JobChoice& choice);

/// Of the links between members: the lower of what was measured and what a link carries.
double linkBytesPerSecond(const PreparedWays& prepared);

/// The sizes of mini-batches that are tried: with a noise scale powers of two times the job's,
/// else the job's alone.
std::vector<std::int64_t> batchesToTry(const AdviceQuestion& question);

}  // namespace sumac::planner
