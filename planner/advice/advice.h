#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/advice/job_choice.h"
#include "planner/advice/machine_type.h"
#include "planner/convolution_choice/choice.h"
#include "planner/exchange_cost/step_time.h"
#include "planner/parallel/oracle.h"
#include "planner/ranking/ranking.h"

namespace sumac::planner {

/// Memory in bytes. A member is given what it needs, its data set where that size is known, and a
/// quarter more, in whole Mi. Beside it stands what a machine has.
struct MemberMemory {
  std::int64_t worker_bytes = 0;
  std::int64_t server_bytes = 0;               // 0 without servers
  std::optional<std::int64_t> limit_bytes;     // compared with needed(); nothing: not known
  std::optional<std::int64_t> all_bytes = {};  // of all members, where they share one machine

  /// What the limit is compared with: all members where they share a machine, else the largest.
  std::int64_t needed() const { return all_bytes.value_or(std::max(worker_bytes, server_bytes)); }
  bool fits() const { return !limit_bytes || needed() <= *limit_bytes; }
  /// What each of so many members may have of the limit.
  std::optional<std::int64_t> limitOfOne(int members) const {
    return limit_bytes && all_bytes ? *limit_bytes / members : limit_bytes;
  }
};

/// "a member", or "all members" where these share the memory.
std::string_view holderOf(const MemberMemory& memory);

/// One way with its predictions.
struct Way {
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
  std::vector<std::string> obstacles;  // why it cannot be taken; empty: it can
};

/// The best way with so many workers.
struct ScalePoint {
  int workers = 1;
  std::optional<std::size_t> way;  // an index of Advice::ways, feasible or not
  std::string why_not;             // there is none, or it cannot be taken; else empty
};

/// A parallel strategy of Kahira et al. 2021 with the members of the recommended way.
struct StrategyAdvice {
  Assessment assessment;
  double seconds_per_step = 0;  // by the oracle, exchange not hidden; 0 without an estimate
  std::string why_not;          // it is not recommended; empty: it is what Sumac does
};

/// What the rules of Zou et al. 2017 say of the recommended way.
struct SizingAdvice {
  std::optional<std::int64_t> largest_batch;  // of one worker, under its memory
  std::string largest_batch_text;             // with units and the limit, or why there is none
  std::optional<std::int64_t> servers;        // that hide the exchange behind computing
  std::string servers_text;
  std::optional<double> overhead_ratio;  // R_O of the recommended way's workers
  std::string workers_text;
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
  std::string text;  // what all take together, one sentence
};

/// What would change the answer.
struct Change {
  std::string what;                 // "links at half their rate"
  std::optional<JobChoice> choice;  // best then; nothing: no way keeps all limits
  double seconds = 0;               // of that
  double behind = 0;  // how much longer (dearer, ...) the recommended way then is, as a share; >= 0
  std::string text;   // one sentence of all that
};

/// Limits that would be enough. Nothing: that one stays as it is.
struct EnoughLimits {
  std::optional<double> deadline_seconds = {};
  std::optional<double> budget = {};              // in Advice::currency
  std::optional<std::int64_t> memory_bytes = {};  // of MemberMemory::needed()
};

/// A figure of the answer with where it is from.
struct SourcedFigure {
  std::string name;   // "link of each member"
  std::string value;  // with its unit
  FigureOrigin origin = FigureOrigin::kMeasured;
  std::string source;
  std::string date;  // empty: none
};

/// Candidates that have no prediction, for one reason.
struct Unpredicted {
  std::string reason;  // and what to do
  std::size_t candidates = 0;
  JobChoice example;
  bool is_beyond_profile = true;  // one of more sizes or threads would predict it
};

/// The answer. A value type, with all that tables and pages show.
struct Advice {
  std::string job;  // its name
  std::string network;
  std::string place;  // "one member a machine of type n2-standard-4"
  PlanGoal goal = PlanGoal::kTime;
  std::vector<std::string> limits;            // "deadline 3600 s", for the reader
  std::string currency;                       // of all costs; empty where there are none
  std::optional<double> price_per_hour = {};  // of a machine, in that
  std::int64_t job_steps = 0;                 // of the job as written
  std::int64_t job_batch = 0;
  int threads = 1;        // that compute in a worker of the recommended way
  std::vector<Way> ways;  // all with a prediction, best first; those with obstacles last
  std::optional<std::size_t> recommended;  // an index of `ways`; nothing: none can be taken
  std::optional<std::size_t> as_written;   // the job's own choice, if it was predicted
  std::vector<std::string> reasons;        // why the recommended one, sentences
  std::string no_plan;               // which limit stands in the way; empty: a way can be taken
  std::vector<EnoughLimits> enough;  // with no_plan: the smallest changes, each by itself
  std::vector<ScalePoint> scale;     // by ascending workers
  std::vector<StrategyAdvice> strategies;  // best first
  std::string strategies_basis;            // how they follow from the ways, sentences; may be empty
  SizingAdvice sizing;
  std::optional<ConvolutionAdvice> convolutions;
  std::vector<Change> changes;         // sensitivity: only what changes the recommended way
  std::vector<std::string> unchanged;  // what was tried and changes nothing
  std::vector<std::string> notes;      // what to know before relying on it
  std::vector<SourcedFigure> figures;
  std::vector<Unpredicted> unpredicted;
};

}  // namespace sumac::planner
