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

/// What tables call such a value: "throughput", "efficiency 0.8", "4 workers", "hpa 80 %".
std::string sizingName(const yaml::Node& value);

}  // namespace sumac::experiment
