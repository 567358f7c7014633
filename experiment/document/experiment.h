#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/node.h"

#include "experiment/document/metric.h"

namespace sumac::experiment {

/// A field of the job, or of the experiment, with the value that it gets; null removes it.
struct Setting {
  std::string path;  // of the job: "spec.worker.replicas"; of the experiment: "link.rate"

  bool isOfJob() const { return path.starts_with("spec."); }

  yaml::Node value;
};

/// One value of an axis.
struct AxisValue {
  std::string name;
  std::vector<Setting> settings;
  yaml::Position position = {};  // in the document
};

/// What is varied.
struct Axis {
  std::string name;
  std::vector<AxisValue> values;
};

/// Until when a cell is repeated.
struct StopRule {
  double half_width = 0;  // of the metric's 95 % interval, as a share of the mean
  int most_repetitions = 0;
};

/// How a cell is measured.
struct Measurement {
  std::int64_t steps = 0;
  std::int64_t warmup_steps = 0;
  int repetitions = 0;  // with `stop`, the least
  std::optional<StopRule> stop;
  std::uint64_t seed = 0;
  Metric metric = Metric::kSamplesPerSecond;
  yaml::Position metric_position = {};  // in the document
};

/// A HorizontalPodAutoscaler on the processor time of workers, with Kubernetes' defaults.
struct HpaRule {
  double target = 0.8;     // utilization: of the request
  double cpu_request = 0;  // cores of a worker's pod; 0: as many as it has threads
  double period_seconds = 15;
  double tolerance = 0.1;
  double down_stabilization_seconds = 300;
};

/// What the members of a job run under, beside what the job says. A value type.
struct Conditions {
  std::optional<std::int64_t> link_bits_per_second;  // of each member, each way; nothing: loopback
  bool is_emulated = false;  // workers wait for as long as computing took, see `compute`
  double slowdown = 1;       // of emulated computing: it takes so many times as long
  std::string profile = {};  // with the times of emulated computing; empty: each run measures them
  std::optional<HpaRule> hpa = {};  // that sizes the job
};

/// From `seconds` after its first step on, a job has this many workers.
struct ScaleStep {
  double seconds = 0;
  int workers = 0;
  yaml::Position position = {};  // of the number, in the document
};

/// What happens `seconds` after a job's first step.
struct ScriptedEvent {
  enum class Kind : std::uint8_t {
    kRoom,  // from then on for `workers` in all
    kSlow,  // computing takes worker `worker` `factor` times as long from then on
    kKill,  // worker `worker` is lost, and comes back
  };

  double seconds = 0;
  Kind kind = Kind::kRoom;
  int workers = 0;
  int worker = 0;
  double factor = 1;
  yaml::Position position = {};  // of what happens, in the document
};

/// What a simulation takes for granted.
struct SimulationInputs {
  std::optional<double> change_seconds;  // for which a job stands still at a change; by its kind
  double report_seconds = 10;            // between two reports of progress
  double noise = 0.05;                   // steps are off the cost model by at most this share
};

/// The job that is varied, as its file has it: nothing of it has been checked.
struct BaseJob {
  yaml::Node document;  // a map
  std::string file;     // for the messages
  std::string prefix;   // of paths in messages: "spec.job." where it stands in the experiment
};

/// An Experiment document that passed every check of its own. A value type.
struct Experiment {
  std::string name;
  std::string file;  // for the messages
  BaseJob base;
  std::vector<Axis> axes;
  std::optional<yaml::Node> batch_size_per_worker;  // an integer >= 1, with its position
  Measurement measurement;
  Conditions conditions;                   // of all cells, unless an axis sets them
  std::vector<ScaleStep> scale;            // in order of time; empty: the number of workers stays
  std::vector<Setting> sizing = {};        // of all cells, unless an axis sets it
  std::vector<ScriptedEvent> events = {};  // in order of time
  SimulationInputs simulation = {};
  yaml::Position scale_position = {};
  yaml::Position slowdown_position = {};
};

}  // namespace sumac::experiment
