#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Counts the pods of the current attempt by role: active, ready, succeeded, failed. Leaves
/// `desired` unchanged.
void countReplicas(Draft& draft);

/// Sets the fields that follow from the rest of the status: state, workers, coordinator, selector,
/// observedGeneration.
void deriveColumns(Draft& draft);

}  // namespace sumac::trainingjob
