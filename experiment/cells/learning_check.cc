#include "experiment/cells/learning_check.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "job/document/network_of.h"

namespace sumac::experiment {
namespace {

constexpr const char* kSeed = "spec.training.seed";

bool isText(const job::TrainingJob& job) {
  const auto network = job::networkSpecOf(job);
  return network && network->isText();
}

/// Empty: the job's evaluation tells the metric.
std::string whyNotTold(Metric metric, const job::TrainingJob& job) {
  const std::string name(toString(metric));
  const bool is_text = isText(job);
  if (is_text != (metric == Metric::kValidationPerplexity)) {
    return is_text ? name + " needs a network that classifies, and this one predicts words; " +
                         "compare by validationPerplexity"
                   : name + " needs a network that predicts words, and this one classifies; " +
                         "compare by validationAccuracy";
  }
  if (!is_text && job.data.validation == 0) {
    return name + " needs validation samples, since test values never choose: set " +
           "data.validation in the job, for example to \"0.1\"";
  }
  return {};
}

/// Whether the last repetition's seed is one that a job may have.
bool haveSeeds(const Measurement& measurement, std::uint64_t first) {
  const int most = measurement.stop ? measurement.stop->most_repetitions : measurement.repetitions;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return first <= kMost - static_cast<std::uint64_t>(most - 1);
}

}  // namespace

std::vector<Unlearnable> whyUnlearnable(const Experiment& experiment,
                                        const std::vector<std::size_t>& choices, const Cell& cell) {
  const Measurement& measurement = experiment.measurement;
  std::vector<Unlearnable> reasons;
  if (!isOfLearning(measurement.metric)) return reasons;
  const std::string name(toString(measurement.metric));
  const auto add = [&](std::string message) {
    reasons.push_back({measurement.metric_position, "spec.measure.metric", std::move(message)});
  };
  if (cell.conditions.is_emulated)
    add(name + " needs compute: real, since emulated workers learn nothing");
  if (std::string why = whyNotTold(measurement.metric, cell.job); !why.empty()) add(std::move(why));
  if (!haveSeeds(measurement, cell.job.training.seed))
    add("training.seed is too large for a seed of each repetition; choose a smaller one");
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (const Setting& setting : experiment.axes[i].values[choices[i]].settings) {
      if (setting.path != kSeed) continue;
      reasons.push_back({setting.value.position, "spec.axes[" + std::to_string(i) + "]",
                         "training.seed cannot be varied with " + name +
                             ": each repetition has a seed of its own; raise spec.repetitions"});
    }
  }
  return reasons;
}

}  // namespace sumac::experiment
