#pragma once

#include "planner/exchange_cost/step_time.h"

namespace sumac::planner {

/// A step by the textbooks: what one worker computes, and then the bytes on the busiest link, of W
/// bytes a second, with nothing hidden behind anything. Of N workers and a vector of S bytes as
/// sent,
///
///   K servers        S N / (K W)        Jaeger et al. 2018
///   owners, ring     2 S (N-1) / (N W)  Gebremeskel 2018, 3.2; halving as well
///   direct           S (N-1) / W
///
/// Without a link's rate, 1 / W is what a byte costs (ExchangeCosts::byte). Predictions are
/// compared with this. In seconds; requires shapes as exchangeWork().
double textbookSeconds(const StepShape& shape, const StepCosts& costs, const Surroundings& where);

}  // namespace sumac::planner
