#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/autoscaling/simulated_job.h"

namespace sumac::experiment {

/// A time with one number of workers.
struct SizingPhase {
  double begin = 0;  // seconds since the end of the job's first step
  int workers = 0;

  bool operator==(const SizingPhase&) const = default;
};

/// What a measured run of a job did that may change its size, or to which events happen. Times are
/// since the end of its first step. A value type.
struct SizingRecord {
  double seconds = 0;           // to the end of the last step, changes included
  double changing_seconds = 0;  // for which it stood still at changes and events
  std::vector<autoscaling::SizeChange> changes = {};  // as decided, with the words that told it
  std::vector<autoscaling::SizeChange> stays = {};    // likewise, why it kept its size
  std::vector<SizingPhase> phases = {};               // from the beginning to the end
  std::string parameters_sha256 = {};  // of the final ones; empty: none were computed
};

/// The record with what its workers and servers cost.
autoscaling::SimulatedRun spentBy(const SizingRecord& record, int servers,
                                  const autoscaling::Prices& prices);

/// The mean of how many workers trained over time. Requires a phase.
double meanWorkers(const SizingRecord& record);

/// A record as a part of a run's file, and back; nothing for anything else.
nlohmann::ordered_json toJson(const SizingRecord& record);
std::optional<SizingRecord> sizingRecordFrom(const nlohmann::json& json);

}  // namespace sumac::experiment
