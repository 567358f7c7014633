#pragma once

#include "base/core/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// The whole answer. A pure function: what it takes grows with the candidates (some hundred; with a
/// noise scale some thousand) and, where the gradient is large, with its buckets.
///
/// Fails with kInvalid or kNotFound and one sentence: numbers that cannot be, a cost that is asked
/// for without a price, a profile that reaches no candidate. Limits that no configuration keeps are
/// an answer: Advice::obstruction.
Result<Advice> advise(const AdviceQuestion& question);

}  // namespace sumac::planner
