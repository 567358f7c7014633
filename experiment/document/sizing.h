#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/yaml/node.h"
#include "job/document/field.h"

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// The field `autoscaling` of an Experiment's spec: a job's own, or a fixed size, or a
/// HorizontalPodAutoscaler.
job::Field autoscalingField();

/// What a value of that field sets: itself, and fields of the job; null takes both out. Plain
/// numbers are taken for decimals. Requires a value that the table allows, or null.
std::vector<Setting> sizingSettings(yaml::Node value);

/// The HorizontalPodAutoscaler of such a value; nothing where it has none.
std::optional<HpaRule> hpaOf(const yaml::Node& value);

/// What tables call such values: "throughput", "efficiency 0.8", "4 workers", "hpa 80 %"; those
/// that would have one name with the settings in which they differ: "throughput
/// (stabilizationSeconds 3)".
std::vector<std::string> sizingNames(const std::vector<yaml::Node>& values);

/// An axis that varies spec.worker.replicas of jobs that size themselves, which do not use it.
struct WithoutEffect {
  std::size_t axis = 0;          // its index
  yaml::Position position = {};  // of its first such value
  std::string by;                // what sizes them: "spec.autoscaling"
};

/// Those of an experiment whose axes and jobs are read.
std::vector<WithoutEffect> axesWithoutEffect(const Experiment& experiment);

}  // namespace sumac::experiment
