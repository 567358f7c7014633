#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "job/progress/emulated_computing.h"

#include "experiment/measure/learned.h"
#include "experiment/measure/node_facts.h"
#include "experiment/measure/scale_record.h"
#include "experiment/measure/sizing_record.h"
#include "experiment/measure/step_phases.h"

namespace sumac::experiment {

/// What worker 0 sent and received in a step, over all steps of a run.
struct StepBytes {
  double sent = 0;
  double received = 0;

  bool operator==(const StepBytes&) const = default;
};

/// What a run measured, warm-up left out. A value type.
struct RunFigures {
  std::int64_t steps = 0;
  double seconds = 0;  // of these steps, whole: nothing in between is left out
  /// Of each step; where metrics.jsonl has a line for several steps, their mean. At most 400.
  std::vector<double> step_seconds;
  std::optional<StepPhases> phases = {};  // nothing: the job did not say
  std::optional<StepBytes> bytes = {};
  Learned learned = {};                             // after the last step
  std::optional<EmulatedComputing> computing = {};  // where it is emulated
  /// Of a run here with emulated computing by a profile: the share of the cores that it could have
  /// used and others took.
  std::optional<double> lacking_cores = {};
  std::optional<ScaleRecord> scale = {};          // of a run whose number of workers changes
  std::optional<SizingRecord> sizing = {};        // of one in a comparison of sizes
  std::map<std::string, std::string> nodes = {};  // of a cluster, by member: "worker-0"
  std::vector<NodeFacts> node_facts = {};         // of these, by name
  std::string left_on_volume = {};  // of a cluster, a folder of checkpoints; mostly none

  double batchesPerSecond() const { return static_cast<double>(steps) / seconds; }
  double medianStepSeconds() const;
};

/// Reads a job's metrics.jsonl. The clock starts when `warmup_steps` are over and stops before the
/// last line, if there are others: where computing and exchange overlap a step ends while the next
/// one computes, so that the last step of all, which no other follows, looks too short. The phases
/// are those of the same steps. Fails with kInvalid when no time can be told from it.
Result<RunFigures> figuresOf(std::string_view metrics, std::int64_t warmup_steps);

/// Adds the bytes and what was learned, which a job's result.json or last message tells, and the
/// emulated computing, which only result.json has. What it does not tell, or not in numbers, stays
/// unknown.
void addResult(RunFigures& figures, std::string_view result);

/// Of a run whose number of workers changes: changes are part of the time. Fails likewise.
Result<RunFigures> figuresOf(ScaleRecord record, std::int64_t warmup_steps);

/// Of a run in a comparison of sizes, with so many steps after the first one: changes and all else
/// are part of their time. Fails with kInvalid where there is none.
Result<RunFigures> figuresOf(SizingRecord record, std::int64_t steps);

/// One run as a file of the experiment's folder, and back. `owner` names the run, so that a file
/// that was copied is not taken for another's. Fails with kInvalid on anything else.
std::string toFile(const RunFigures& figures, const std::string& owner);
Result<RunFigures> figuresFromFile(std::string_view text, const std::string& owner);

}  // namespace sumac::experiment
