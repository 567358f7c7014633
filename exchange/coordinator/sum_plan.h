#pragma once

#include <functional>
#include <string>

#include "base/core/result.h"
#include "exchange/plan/exchange_plan.h"

namespace sumac {

/// How the sums of a job are cut.
struct SumPlan {
  ExchangePlan exchange;
  std::string text;  // the plan lines that a worker must have; it may have more
};

/// The plan for data with so many words, 0 for none; workers state them, servers do not read data.
/// Fails when the network cannot be built with them.
using PlanOf = std::function<Result<SumPlan>(int vocabulary)>;

}  // namespace sumac
