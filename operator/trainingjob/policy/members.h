#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Puts into the status which roster slot 0 says that the members follow, and how often they have
/// changed, with an event for each change. A process of slot 0 counts from 0, and has a higher term
/// than those before it in this attempt.
void keepMembership(Draft& draft);

}  // namespace sumac::trainingjob
