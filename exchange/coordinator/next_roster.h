#pragma once

#include <map>
#include <optional>

#include "base/core/slot.h"
#include "base/core/step.h"
#include "exchange/coordinator/admission.h"

namespace sumac {

/// What the coordinator knows of the states that a job has reached, besides what members said when
/// they joined. A value type.
struct KnownStates {
  // The workers of the roster before that have halted, each with the step whose state it has; none:
  // it has none.
  std::map<Slot, std::optional<Step>> halted;
  Slot writer{Role::kWorker, 0};  // of the roster before
  Step evaluated = 0;             // the newest step that was evaluated
  Step checkpoint = 0;            // the newest step whose checkpoint is complete
};

/// Decides at which step the next roster of all that are admitted starts, who writes, and who gets
/// the state from whom. Requires a worker.
///
/// It starts at the highest step whose state a worker has in memory. All that have it are sources,
/// the writer last, and the workers that lack it form a chain behind each. Where nobody has a
/// state, or only an older one than the newest checkpoint's, a worker that has seen that reads it,
/// writes from then on and is the only source; without a checkpoint each worker makes the first
/// state itself.
///
/// The writer stays the same unless it is gone, or has no volume and another worker has one; a
/// worker that has the state is preferred.
Admission::Next nextRoster(const Admission& admission, const KnownStates& known);

}  // namespace sumac
