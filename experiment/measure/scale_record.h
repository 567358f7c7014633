#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/step.h"

#include "experiment/measure/step_phases.h"

namespace sumac::experiment {

/// A moment of a run whose number of workers changes.
struct ScalePoint {
  double seconds = 0;  // since the end of the first step, changes included
  int workers = 0;
  Step step = 0;                             // the last one completed
  std::optional<double> batches_per_second;  // since the point before; nothing for the first
  std::optional<double> loss;                // of the training batches

  bool operator==(const ScalePoint&) const = default;
};

/// A change of the number of workers, from the last step with the old number to the first with the
/// new one.
struct ScaleChange {
  double seconds = 0;  // when it was asked for, since the end of the first step
  Step step = 0;       // the last one with the old number: that both go on from
  int from = 0;
  int to = 0;
  double cost_seconds = 0;  // between the ends of the two steps

  bool operator==(const ScaleChange&) const = default;
};

/// Where the time of the steps with one number of workers went.
struct ScaleTimes {
  int workers = 0;
  Step steps = 0;
  StepPhases phases;

  bool operator==(const ScaleTimes&) const = default;
};

/// What a run with a script of numbers of workers did over time. A value type.
struct ScaleRecord {
  std::vector<ScalePoint> points;  // in order of time
  std::vector<ScaleChange> changes;
  std::string parameters_sha256;       // of the final parameters
  std::vector<ScaleTimes> times = {};  // in order of time; those that were told
  int restarts = 0;                    // of the changes, those for which all members began again

  bool operator==(const ScaleRecord&) const = default;
};

/// The time between two changes: one number of workers.
struct ScalePhase {
  int workers = 0;
  double begin_seconds = 0;  // the first step's end, since that of the run
  double end_seconds = 0;    // the last step's
  Step first_step = 0;
  Step last_step = 0;
  std::optional<double> batches_per_second;  // between these two; nothing where they are the same

  bool operator==(const ScalePhase&) const = default;
};

/// The phases of a run, in order.
std::vector<ScalePhase> phasesOf(const ScaleRecord& record);

/// Where the time of a step went, over all steps whose times were told; nothing without any.
std::optional<StepPhases> meanPhases(const ScaleRecord& record);

/// A record as a part of a run's file, and back; nothing for anything else.
nlohmann::ordered_json toJson(const ScaleRecord& record);
std::optional<ScaleRecord> scaleRecordFrom(const nlohmann::json& json);

}  // namespace sumac::experiment
