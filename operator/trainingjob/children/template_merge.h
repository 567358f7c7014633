#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"

namespace sumac::trainingjob {

/// Lays the pod template `over` on `base`, as a strategic merge of Kubernetes does it for a
/// PodTemplateSpec:
/// - maps merge field by field; null takes a field away;
/// - containers and init containers merge by name;
/// - volumes, env, volumeMounts, ports and what else has a key are replaced or added one by one,
///   each whole: half of one volume source and half of another make no volume;
/// - probes and the like, of which only one kind may be given, are replaced whole;
/// - all other lists are replaced.
/// The base's order stays, additions follow.
///
/// Fails with kInvalid, naming the field, where something we have to touch later has the wrong type
/// or no key, and on directives ("$patch"). Afterwards every field of the table is well-formed.
Result<nlohmann::json> mergeTemplates(const nlohmann::json& base, const nlohmann::json& over);

}  // namespace sumac::trainingjob
