#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"

namespace sumac::api {

/// Merges the pod template `over` into `base`, like a strategic merge of Kubernetes for a
/// PodTemplateSpec:
/// - maps merge field by field; null removes a field;
/// - containers and init containers merge by name;
/// - items of volumes, env, volumeMounts, ports and other lists with a key are replaced or added as
///   a whole, because half of one volume source and half of another are not a volume;
/// - probes and other maps that allow only one kind are replaced as a whole;
/// - all other lists are replaced.
/// The order of `base` is kept; additions follow.
///
/// Fails with kInvalid, naming the field, if a field that the operator changes later has a wrong
/// type or no key, on directives ("$patch") and on finalizers, which the operator may not remove.
/// After success all these fields are well-formed.
Result<nlohmann::json> mergeTemplates(const nlohmann::json& base, const nlohmann::json& over);

/// Whether the templates of a TrainingJob can be merged over any other. Fails with kInvalid, naming
/// the field from "spec" on: what the operator would report as InvalidSpec.
Result<void> checkTemplates(const nlohmann::json& document);

}  // namespace sumac::api
