#pragma once

#include "common/base/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// Adds the choice of algorithms by the integer program of Zou et al. 2017, where the question has
/// costs. Not advice for this version: kChoiceIsNotAdvice.
///
/// Fails with kInvalid where they are not of exactly the network's convolutions, or not even the
/// smallest workspaces fit.
Result<void> addConvolutions(const AdviceQuestion& question, Advice& advice);

}  // namespace sumac::planner
