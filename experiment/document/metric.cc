#include "experiment/document/metric.h"

#include <algorithm>
#include <array>

#include "base/core/check.h"

namespace sumac::experiment {
namespace {

struct Names {
  Metric metric;
  std::string_view name;
  std::string_view phrase;
};

constexpr std::array kNames{
    Names{Metric::kSamplesPerSecond, "samplesPerSecond", "samples a second"},
    Names{Metric::kValidationAccuracy, "validationAccuracy", "validation accuracy"},
    Names{Metric::kValidationPerplexity, "validationPerplexity", "validation perplexity"}};

const Names& namesOf(Metric metric) {
  const auto* const found = std::ranges::find(kNames, metric, &Names::metric);
  SUMAC_CHECK(found != kNames.end(), static_cast<int>(metric));
  return *found;
}

}  // namespace

std::string_view toString(Metric metric) {
  return namesOf(metric).name;
}

std::optional<Metric> metricNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Names::name);
  if (found == kNames.end()) return std::nullopt;
  return found->metric;
}

std::string_view phraseOf(Metric metric) {
  return namesOf(metric).phrase;
}

}  // namespace sumac::experiment
