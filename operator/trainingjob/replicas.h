#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// Counts the pods of the status' attempt by role: active, ready, succeeded, failed. `desired`
/// stays.
void countReplicas(Draft& draft);

/// What follows from the rest of the status: state, workers, coordinator, selector,
/// observedGeneration.
void deriveColumns(Draft& draft);

}  // namespace sumac::trainingjob
