#pragma once

#include "base/core/result.h"
#include "base/yaml/node.h"
#include "job/model/network.h"

namespace sumac::model {

/// Reads a job's own `layers:`, a list of maps with a type and that type's keys (docs/models.md). A
/// residual has lists of layers itself; an lstm's layers are called depth.
///
/// Fails with kInvalid for unknown and missing keys, and for values of the wrong kind or out of
/// range; the message begins with "line:column: " and says what is allowed. resolve() checks
/// whether the layers fit together. The name of the result is "custom".
Result<NetworkSpec> parseLayers(const yaml::Node& layers, const Shape& input);

}  // namespace sumac::model
