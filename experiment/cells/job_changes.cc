#include "experiment/cells/job_changes.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/check.h"
#include "base/yaml/scalar.h"
#include "job/document/edit.h"
#include "job/document/field.h"

#include "experiment/document/experiment.h"
#include "experiment/document/fields.h"
#include "experiment/document/owned.h"

namespace sumac::experiment {
namespace {

constexpr std::string_view kBatchPerWorker = "batchSizePerWorker";

bool isIn(const std::string& path, const std::string& outer) {
  return path == outer || path.starts_with(outer + ".");
}

/// Whether this value of an axis sets the field, itself or by the size of a worker's batch.
bool sets(const AxisValue& value, const std::string& path, bool has_batch_per_worker) {
  const bool is_batch = path == "spec.training.batchSize";
  const auto is_own = [](const Setting& setting) { return setting.path == kBatchPerWorker; };
  if (const auto own = std::ranges::find_if(value.settings, is_own);
      is_batch && own != value.settings.end())
    return own->value.kind != yaml::Kind::kNull;
  return (is_batch && has_batch_per_worker) ||
         std::ranges::any_of(value.settings,
                             [&path](const Setting& setting) { return isIn(path, setting.path); });
}

/// What sets the field in every cell; empty: nothing does.
std::string setterOf(const Experiment& experiment, const std::string& path, bool is_for_cluster) {
  const bool has_batch_per_worker = experiment.batch_size_per_worker.has_value();
  bool is_batch_varied = false;
  for (const Axis& axis : experiment.axes) {
    const auto does = [&](const AxisValue& value) {
      return sets(value, path, has_batch_per_worker);
    };
    for (const AxisValue& value : axis.values) {
      is_batch_varied |= std::ranges::any_of(
          value.settings, [](const Setting& setting) { return setting.path == kBatchPerWorker; });
    }
    const bool is_named = std::ranges::any_of(axis.values, [&path](const AxisValue& value) {
      return sets(value, path, /*has_batch_per_worker=*/false);
    });
    if (is_named && std::ranges::all_of(axis.values, does)) return "the axis " + axis.name;
  }
  const auto does = [&path](const Setting& setting) { return isIn(path, setting.path); };
  if (std::ranges::any_of(experiment.sizing, does)) return "spec.autoscaling";
  for (const Owned& owned : ownedFields(experiment)) {
    // A pod of another size goes on from a checkpoint.
    const bool is_kept =
        is_for_cluster && !experiment.scale.empty() && owned.path == "spec.checkpoint";
    const bool is_varied = is_batch_varied && owned.path == "spec.training.batchSize";
    if (!is_kept && !is_varied && isIn(path, owned.path)) return owned.by;
  }
  return {};
}

using yaml::Node;

constexpr const char* kBatchSize = "spec.training.batchSize";
constexpr const char* kEvaluation = "spec.training.evaluation.everyEpochs";
constexpr const char* kWorkers = "spec.worker.replicas";
constexpr const char* kLeastWorkers = "spec.worker.minReplicas";
constexpr const char* kMostWorkers = "spec.worker.maxReplicas";

/// After those that are measured: figuresOf() leaves the last step out.
constexpr std::int64_t kStepsBeyond = 1;

/// What the experiment sets in every cell: nothing but steps shall take time.
std::vector<Change> commonChanges(const Experiment& experiment, bool is_for_cluster) {
  const Measurement& measurement = experiment.measurement;
  const std::int64_t steps = measurement.warmup_steps + measurement.steps;
  const auto evaluation = job::fieldAt(kEvaluation);
  SUMAC_CHECK(evaluation != nullptr && evaluation->maximum.has_value());
  std::vector<Change> changes{
      {"spec.output", {}, {}},
      {"spec.training.epochs", {}, {}},
      {"spec.training.steps",
       job::integerNode(experiment.scale.empty() ? steps + kStepsBeyond : steps),
       {}},
      {kEvaluation, job::integerNode(*evaluation->maximum), {}}};
  // A pod of another size goes on from a checkpoint.
  const bool keeps_checkpoint = is_for_cluster && !experiment.scale.empty();
  if (!keeps_checkpoint) changes.push_back({"spec.checkpoint", {}, {}});
  return changes;
}

/// The sizes that a script of numbers of workers needs; V follows the largest.
std::vector<Change> scaleChanges(const std::vector<ScaleStep>& scale) {
  if (scale.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(scale, {}, &ScaleStep::workers);
  const auto change = [&scale](const char* path, std::vector<ScaleStep>::const_iterator step) {
    const std::string index = std::to_string(step - scale.begin());
    return Change{path, job::integerNode(step->workers), step->position,
                  "spec.scale[" + index + "].workers"};
  };
  return {change(kWorkers, scale.begin()), change(kLeastWorkers, least),
          change(kMostWorkers, most)};
}

}  // namespace

std::vector<Change> changesOf(const Experiment& experiment, const std::vector<std::size_t>& choices,
                              bool is_for_cluster) {
  std::vector<Change> changes = commonChanges(experiment, is_for_cluster);
  for (Change& change : scaleChanges(experiment.scale))
    changes.push_back(std::move(change));
  const auto add = [&changes](const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) {
      if (!setting.isOfJob()) continue;
      Node value = setting.value;
      const yaml::Position position = value.position;
      job::forgetPositions(value);
      changes.push_back({setting.path, std::move(value), position});
    }
  };
  add(experiment.sizing);
  for (std::size_t i = 0; i < choices.size(); ++i)
    add(experiment.axes[i].values[choices[i]].settings);
  return changes;
}

std::optional<Node> batchPerWorkerOf(const Experiment& experiment,
                                     const std::vector<std::size_t>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (const Setting& setting : experiment.axes[i].values[choices[i]].settings) {
      if (setting.path != "batchSizePerWorker") continue;
      return setting.value.kind == yaml::Kind::kNull ? std::nullopt
                                                     : std::optional<Node>(setting.value);
    }
  }
  return experiment.batch_size_per_worker;
}

std::optional<Change> batchSizeOf(const Node& root, const Node& per_worker) {
  const Node* const replicas = job::nodeAt(root, kWorkers);
  const auto workers =
      replicas == nullptr ? std::optional<std::int64_t>(1) : yaml::integerOf(*replicas);
  const auto size = yaml::integerOf(per_worker);
  constexpr std::int64_t kMost = 1'000'000'000;  // their product has 60 bits
  if (!workers || !size || *workers < 1 || *workers > kMost || *size > kMost) return std::nullopt;
  return Change{kBatchSize, job::integerNode(*workers * *size), per_worker.position};
}

bool setsBatchSize(const std::vector<Change>& changes) {
  return std::ranges::any_of(changes, [](const Change& change) {
    return change.path == kBatchSize && change.value.kind != yaml::Kind::kNull;
  });
}

std::string setOptionProblem(const Experiment& experiment, const std::string& set,
                             bool is_for_cluster) {
  const std::string path = job::fullPath(set.substr(0, set.find('=')));
  if (job::fieldAt(path) == nullptr && job::fieldAt(experimentField(), path) != nullptr) {
    return "--set " + set + ": " + path + " is a field of the experiment, and --set changes the " +
           "job; set it in " + experiment.file;
  }
  const std::string setter = setterOf(experiment, path, is_for_cluster);
  if (setter.empty()) return {};
  return "--set " + set + " would have no effect: " + setter + " sets " + path +
         " in every cell; change it in " + experiment.file + " or leave out the option";
}

}  // namespace sumac::experiment
