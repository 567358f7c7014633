#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/codec.h"
#include "job/profile/profile_use.h"
#include "planner/advice/explanation.h"
#include "planner/advice/job_choice.h"
#include "planner/advice/machine_type.h"
#include "planner/advice/question.h"
#include "planner/convolution_choice/choice.h"
#include "planner/exchange_cost/step_time.h"
#include "planner/parallel/oracle.h"

namespace sumac::planner {

/// Memory in bytes. A member is given what it needs, its data set where that size is known, and a
/// quarter more, in whole Mi. Beside it stands what a machine has.
struct MemberMemory {
  std::int64_t worker_bytes = 0;
  std::int64_t server_bytes = 0;               // 0 without servers
  std::optional<std::int64_t> limit_bytes;     // compared with needed(); nothing: not known
  std::optional<std::int64_t> all_bytes = {};  // of all members, where they share one machine
  bool is_workers_limit = false;               // the job's own, of workers alone

  /// What the limit is compared with: all members where they share a machine, a worker where the
  /// limit is one of workers, else the largest.
  std::int64_t needed() const {
    if (is_workers_limit) return worker_bytes;
    return all_bytes.value_or(std::max(worker_bytes, server_bytes));
  }
  bool fits() const { return !limit_bytes || needed() <= *limit_bytes; }
  /// What each of so many members may have of the limit.
  std::optional<std::int64_t> limitOfOne(int members) const {
    return limit_bytes && all_bytes ? *limit_bytes / members : limit_bytes;
  }
};

enum class PlanLimit : std::uint8_t { kMemory, kDeadline, kBudget, kWorkers };

/// A limit that is not kept: in bytes, seconds, money or workers.
struct BrokenLimit {
  PlanLimit limit = PlanLimit::kMemory;
  double found = 0;
  double most = 0;

  bool operator==(const BrokenLimit&) const = default;
};

/// One configuration with its predictions.
struct Configuration {
  JobChoice choice;
  std::int64_t steps = 0;      // to the same progress as the job's own
  StepTime step;               // parts of one step, in seconds
  double seconds = 0;          // of all steps
  std::optional<double> cost;  // of all machines, in Advice::currency
  double samples_per_second = 0;
  std::optional<double> speedup = {};  // to the best single worker; nothing: none was predicted
  double efficiency = 1;               // progress a second and worker, of the best single worker's
  MemberMemory memory;
  int threads = 1;                     // that compute in a worker
  double margin = 0;                   // of `seconds`, either way, as a share: see answer.h
  std::vector<BrokenLimit> obstacles;  // why it cannot be taken; empty: it can

  bool isPossible() const { return obstacles.empty(); }
};

/// Why no configuration has so many workers.
enum class ScaleGap : std::uint8_t {
  kNone,
  kFewSamples,   // a mini-batch has fewer
  kSmallShares,  // the profile does not reach so small shares of it
  kLargeShares,  // or so large ones
};

/// The best configuration with so many workers.
struct ScalePoint {
  int workers = 1;
  std::optional<std::size_t> best = {};  // an index of Advice::configurations, possible or not
  ScaleGap gap = ScaleGap::kNone;        // where there is none
};

/// How the oracle's times follow from those of the configurations.
struct StrategyBasis {
  bool has_layers = false;                    // computing is scaled, since the profile has layers
  std::optional<double> seconds_of_one = {};  // the step of one worker, which is serial training;
                                              // nothing: computing is that of the configuration
  std::optional<JobChoice> all_reduce = {};  // that data parallelism is; nothing: links as they are
  double exposed_seconds = 0;                // its step with nothing hidden
  double hidden_seconds = 0;                 // and as predicted
};

/// What the rules of Zou et al. 2017 say of the recommended configuration.
struct SizingAdvice {
  std::optional<std::int64_t> memory_bytes = {};   // of a member; nothing: not known
  std::optional<std::int64_t> largest_batch = {};  // of one worker, in that; nothing: none fits
  std::int64_t words = 0;                          // of a sample of text; 0: images
  bool has_exchange = false;
  std::optional<std::int64_t> servers = {};  // that hide the exchange behind the passes
  double pass_seconds = 0;
  double link_bytes_per_second = 0;
  int workers = 1;
  std::optional<double> speedup = {};         // of several, to one by the predicted steps
  std::optional<double> overhead_ratio = {};  // R_O of these workers; nothing: none explains it
};

/// The fastest algorithms for the network's convolutions by costs that the user gave. The engine
/// has one a layer: whatever shows this shows kChoiceIsNotAdvice, too.
struct ConvolutionAdvice {
  struct LayerChoice {
    std::string layer;
    AlgorithmCost algorithm;
  };
  std::vector<LayerChoice> layers;
  Choice choice;
  std::int64_t bound_bytes = 0;
};

/// What was changed to see whether the answer does.
enum class Condition : std::uint8_t {
  kLinksHalf,
  kLinksTwice,
  kComputeHalf,  // the time
  kComputeTwice,
  kPriceHalf,
  kPriceTwice,
  kLinksOrLess,    // of this rate, in bytes a second
  kLinksOrMore,    // the same
  kLatencyOrMore,  // in seconds
  kLatencyUpTo,    // the same
  kNoiseLow,       // end of its interval, in samples
  kNoiseHigh,      // the same
};

struct Trial {
  Condition condition = Condition::kLinksHalf;
  double amount = 0;

  bool operator==(const Trial&) const = default;
};

/// What would change the answer.
struct Change {
  Trial trial;
  std::optional<JobChoice> choice = {};  // best then; nothing: no configuration keeps all limits
  double seconds = 0;                    // of that
  double behind = 0;  // how much longer (dearer, ...) the recommended one then is, a share; >= 0
  double margin = 0;  // below which they count as equal
  std::optional<BrokenLimit> obstacle = {};  // why the recommended one cannot be taken then
};

/// Limits that would be enough. Nothing: that one stays as it is.
struct EnoughLimits {
  std::optional<double> deadline_seconds = {};
  std::optional<double> budget = {};              // in Advice::currency
  std::optional<std::int64_t> memory_bytes = {};  // of MemberMemory::needed()
  std::optional<int> workers = {};
};

/// Why no configuration can be taken. Indices of Advice::configurations.
struct Obstruction {
  std::size_t smallest = 0;             // in memory, of those with few enough workers
  std::optional<std::size_t> fastest;   // of these that fit into the memory; nothing: none does
  std::optional<std::size_t> cheapest;  // the same
  bool is_late = false;                 // the fastest misses the deadline
  bool is_dear = false;                 // the cheapest misses the budget
  std::vector<EnoughLimits> enough;     // the smallest changes, each by itself
};

/// Candidates that have no prediction, for one reason.
struct Unpredicted {
  Share share = {};                   // of a worker, which the profile does not reach
  std::optional<Codec> same_as = {};  // instead: it would be that of this codec
  std::size_t candidates = 0;
  JobChoice example;
  bool has_written = false;  // the job as written is one of them, and the example
};

/// What must be kept.
struct AskedLimits {
  std::optional<double> deadline_seconds = {};
  std::optional<double> budget = {};  // in Advice::currency
  int workers = 0;                    // 0: no limit
  bool is_memory_given = false;       // on the command line
};

/// Where the members run.
struct Place {
  Placement placement = Placement::kMachines;
  std::string machine_type;  // empty: as the profiled one, or that itself
  std::string host;          // the profiled one, here and below
  std::string cpu;
  int cores = 0;
};

/// The answer in numbers: planner/report has the words. A value type.
struct Advice {
  std::string job;  // its name
  std::string network;
  Place place;
  PlanGoal goal = PlanGoal::kTime;
  AskedLimits limits;
  std::string currency;                       // of all costs; empty where there are none
  std::optional<double> price_per_hour = {};  // of a machine, in that
  std::int64_t job_steps = 0;                 // of the job as written
  std::int64_t job_batch = 0;
  std::vector<Configuration> configurations;  // predicted; best first, those with obstacles last
  std::optional<std::size_t> recommended;     // an index of these; nothing: none can be taken
  std::optional<std::size_t> as_written;      // the job's own choice; nothing: `unpredicted` has it
  std::vector<Reason> reasons;                // why the recommended one
  std::optional<Obstruction> obstruction;     // why none is recommended
  std::vector<ScalePoint> scale;              // by ascending workers
  /// Of Kahira et al. 2021, with the members of the recommended configuration, one mini-batch as
  /// the epoch, nothing of the exchange hidden; best first. Sumac has data parallelism alone.
  std::vector<Assessment> strategies;
  StrategyBasis strategies_basis;
  SizingAdvice sizing;  // of the recommended configuration
  std::optional<ConvolutionAdvice> convolutions;
  std::vector<Change> changes;   // sensitivity: only what changes the recommended configuration
  std::vector<Trial> unchanged;  // what was tried and changes nothing
  std::vector<Note> notes;       // what to know before relying on it
  std::vector<NamedFigure> figures;
  double profiled_operations = 0;  // a second, of the fastest profiled forward pass; 0: not known
  std::vector<Unpredicted> unpredicted;

  /// The recommended one. Requires one.
  const Configuration& taken() const { return configurations.at(*recommended); }
};

}  // namespace sumac::planner
