#pragma once

#include <optional>
#include <string_view>

namespace sumac::experiment {

/// What the cells of an experiment are compared by, and what decides how often they run.
enum class Metric { kSamplesPerSecond, kValidationAccuracy, kValidationPerplexity };

/// As documents have it: "validationAccuracy".
std::string_view toString(Metric metric);
std::optional<Metric> metricNamed(std::string_view name);

/// In a sentence: "validation accuracy".
std::string_view phraseOf(Metric metric);

/// Whether it is of what a run learned. The same seed gives the same bits, so that then each
/// repetition trains with a seed of its own.
constexpr bool isOfLearning(Metric metric) {
  return metric != Metric::kSamplesPerSecond;
}

constexpr bool isLowerBetter(Metric metric) {
  return metric == Metric::kValidationPerplexity;
}

}  // namespace sumac::experiment
