#pragma once

#include <cstdint>
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

/// The plan for a size, which workers state: servers know neither their data nor their program.
/// Words of the data, or values of the vector that a program exchanges; 0: nobody needs to know
/// any. Fails where there is no plan for it.
using PlanOf = std::function<Result<SumPlan>(std::int64_t size)>;

}  // namespace sumac
