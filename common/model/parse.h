#pragma once

#include "common/base/result.h"
#include "common/model/network.h"
#include "common/yaml/node.h"

namespace sumac::model {

/// Reads a job's own `layers:`, a list of maps with a type and that type's keys (docs/models.md). A
/// residual has lists of layers itself; an lstm's layers are called depth.
///
/// Unknown and missing keys, values of the wrong kind or out of range fail with kInvalid and a
/// message that begins with "line:column: " and says what is allowed. Whether the layers fit
/// together is up to resolve(). The result's own name is "custom".
Result<NetworkSpec> parseLayers(const yaml::Node& layers, const Shape& input);

}  // namespace sumac::model
