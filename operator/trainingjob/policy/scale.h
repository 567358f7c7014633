#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Begins a new attempt if the number of workers of an elastic job was changed: no mode can add or
/// remove workers during an attempt yet. A job of fixed size keeps its size until it is suspended.
/// Returns whether the status must be written before anything else is decided.
bool scale(Draft& draft);

}  // namespace sumac::trainingjob
