#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"
#include "planner/exchange_cost/step_time.h"

namespace sumac::planner {

/// A configuration with what its prediction is computed from.
struct PreparedConfiguration {
  JobChoice choice;
  StepShape shape;
  MemberMemory memory;
  double compute_spread = 0;  // of the profile's times that `shape` has, as a share
};

/// All configurations of a question, before any number of its surroundings is put in: what is
/// compared under several conditions is prepared once.
struct PreparedConfigurations {
  std::vector<PreparedConfiguration> configurations;
  JobChoice written;                     // the job's own, `algorithm: auto` decided: a candidate
  std::vector<Unpredicted> unpredicted;  // candidates that the profile does not reach
  StepCosts costs;                       // as measured, with the latency that is known of links
  double measured_hop = 0;               // before that, in seconds
  double link_error = 0;                 // with which the costs explain what was measured, a share
  Surroundings where;
};

/// Conditions that differ from the question's: for what would change the answer.
struct Conditions {
  double compute_factor = 1;  // of the times of computing
  double link_factor = 1;     // of the rate of links
  double price_factor = 1;    // of the price of machines, where one is known
  double least_hop = 0;       // latency of links, in seconds, if that is not larger
};

/// Predicts with profiledStep() of the same model that `sumac experiment` uses. Beside candidates()
/// each number of workers has the best number of servers between those two that are next to the
/// best candidate: of up to 16 more, all in between for up to 24 workers. There is no halving: more
/// servers send each fewer bytes and all more messages, but some have more than their share of a
/// network's ranges, so that a step gets shorter and longer several times. Fails with the
/// reason where the costs of links are not in the profile, or no candidate can be predicted.
Result<PreparedConfigurations> prepareConfigurations(const AdviceQuestion& question);

/// One step of a prepared configuration.
StepTime predictedStep(const PreparedConfigurations& prepared, const PreparedConfiguration& one,
                       const Conditions& conditions);

/// A step of the fastest single worker with this mini-batch; nothing where none is predicted.
std::optional<double> stepOfOneWorker(const PreparedConfigurations& prepared, std::int64_t batch);

/// The threads that each worker of a configuration would take by itself. It is predicted with fewer
/// where the profile says that these are faster.
int threadsByItself(const AdviceQuestion& question, const JobChoice& choice);

/// The cores of the machine that a member runs on: of its type, else of the profiled one.
double coresOfMachine(const AdviceQuestion& question);

/// The latency of links that is known: of the question, or of its machine type; null: none is.
const Figure* latencyOf(const AdviceQuestion& question);

/// Of the links between members: the lower of what was measured and what a link carries.
double linkBytesPerSecond(const PreparedConfigurations& prepared);

/// The sizes of mini-batches that are tried: with a noise scale powers of two times the job's,
/// else the job's alone.
std::vector<std::int64_t> batchesToTry(const AdviceQuestion& question);

}  // namespace sumac::planner
