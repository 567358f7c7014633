#pragma once

#include <memory>

#include "base/core/result.h"
#include "engine/image/operation.h"
#include "engine/image/operation_graph.h"

namespace sumac::worker::image {

/// Fails with kUnsupported, naming the layer, for a kind that cannot be computed here.
Result<std::unique_ptr<Operation>> makeOperation(const Context& context,
                                                 const OperationGraph& graph,
                                                 const GraphOperation& node);

}  // namespace sumac::worker::image
