#include "experiment/cells/set_option.h"

#include <algorithm>
#include <string_view>

#include "common/job/edit.h"
#include "common/job/field.h"

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
  for (const Owned& owned : ownedFields(experiment)) {
    // A pod of another size goes on from a checkpoint.
    const bool is_kept =
        is_for_cluster && !experiment.scale.empty() && owned.path == "spec.checkpoint";
    const bool is_varied = is_batch_varied && owned.path == "spec.training.batchSize";
    if (!is_kept && !is_varied && isIn(path, owned.path)) return owned.by;
  }
  return {};
}

}  // namespace

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
