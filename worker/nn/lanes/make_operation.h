#pragma once

#include <memory>

#include "common/base/result.h"
#include "worker/nn/lanes/operation.h"
#include "worker/nn/lanes/plan.h"

namespace sumac::worker::lanes {

/// Fails with kUnsupported, naming the layer, for a kind that cannot be computed here.
Result<std::unique_ptr<Operation>> makeOperation(const Context& context, const Plan& plan,
                                                 const Planned& planned);

}  // namespace sumac::worker::lanes
