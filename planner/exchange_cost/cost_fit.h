#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "planner/exchange_cost/step_time.h"

namespace sumac::planner {

/// The numbers of StepCosts, one by one.
enum class Coefficient : std::uint8_t {
  kStep,
  kHop,
  kMessage,
  kByte,
  kAdd,
  kFarByte,
  kCrowding,
  kExchangeFactor
};

/// "hop", as ExchangeCosts names it.
std::string_view toString(Coefficient coefficient);

double& valueOf(StepCosts& costs, Coefficient coefficient);

/// A step that was measured.
struct Observation {
  StepShape shape;
  Surroundings where;
  double seconds = 0;
};

/// Costs that explain observations best.
struct CostFit {
  StepCosts costs;
  std::vector<double> residuals;  // of each observation: (predicted - measured) / measured
  int rank = 0;                   // how many combinations of the coefficients are determined
  /// The ratio of the largest and the smallest diagonal element of R, columns scaled to length 1.
  double condition = 0;
  /// Coefficients whose single value says nothing, since others explain the same.
  std::vector<Coefficient> undetermined;

  /// Root mean square of the residuals.
  double error() const;
  /// What to know before reading single coefficients; empty where they are well determined.
  std::string caveat() const;
};

/// Least squares of the relative errors over `unknown`; the others stay as in `start`. Steps are
/// piecewise linear in their costs, so that a few Gauss-Newton steps, each solved by QR with column
/// pivoting (Eigen's ColPivHouseholderQR), end at the best point of the piece that `start` leads
/// to. No cost becomes negative.
///
/// Fails with kInvalid where there are no observations or one is not a positive number of seconds.
Result<CostFit> fitCosts(const std::vector<Observation>& observations, const StepCosts& start,
                         const std::vector<Coefficient>& unknown);

}  // namespace sumac::planner
