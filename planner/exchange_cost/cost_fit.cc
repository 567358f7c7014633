#include "planner/exchange_cost/cost_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "base/core/check.h"
#include "base/core/units.h"

namespace sumac::planner {
namespace {

constexpr int kMostRounds = 50;
// Below this share of the largest diagonal element of R a combination counts as not determined:
// times are known to a percent at best.
constexpr double kRankThreshold = 1e-3;
constexpr double kBadCondition = 100;
// To differentiate: of a piecewise linear function any step inside a piece is exact.
constexpr double kStep = 1e-4;

/// A typical size, so that a coefficient that starts at 0 can be varied.
double scaleOf(Coefficient coefficient) {
  const ExchangeCosts typical;
  switch (coefficient) {
    case Coefficient::kStep:
    case Coefficient::kHop: return typical.hop;
    case Coefficient::kMessage: return typical.message;
    case Coefficient::kByte: return typical.byte;
    case Coefficient::kAdd: return typical.add;
    case Coefficient::kFarByte: return typical.byte;
    case Coefficient::kCrowding:
    case Coefficient::kExchangeFactor: return 1;
  }
  return 1;
}

/// (predicted - measured) / measured, of each observation.
Eigen::VectorXd residualsOf(const std::vector<Observation>& observations, const StepCosts& costs) {
  Eigen::VectorXd residuals(static_cast<Eigen::Index>(observations.size()));
  Eigen::Index row = 0;
  for (const auto& [shape, where, seconds] : observations)
    residuals[row++] = stepTime(shape, costs, where).seconds() / seconds - 1;
  return residuals;
}

/// Of the residuals, by each unknown in units of scaleOf().
Eigen::MatrixXd jacobian(const std::vector<Observation>& observations, const StepCosts& costs,
                         const std::vector<Coefficient>& unknown) {
  const Eigen::VectorXd here = residualsOf(observations, costs);
  Eigen::MatrixXd matrix(here.size(), static_cast<Eigen::Index>(unknown.size()));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    StepCosts varied = costs;
    double& value = valueOf(varied, unknown[i]);
    const double step = kStep * std::max(value, scaleOf(unknown[i]));
    value += step;
    matrix.col(static_cast<Eigen::Index>(i)) =
        (residualsOf(observations, varied) - here) * (scaleOf(unknown[i]) / step);
  }
  return matrix;
}

Eigen::MatrixXd withUnitColumns(Eigen::MatrixXd matrix) {
  for (Eigen::Index i = 0; i < matrix.cols(); ++i) {
    const double length = matrix.col(i).norm();
    if (length > 0) matrix.col(i) /= length;
  }
  return matrix;
}

Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decompose(const Eigen::MatrixXd& matrix) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix.rows(), matrix.cols());
  qr.setThreshold(kRankThreshold);
  qr.compute(matrix);
  return qr;
}

/// `costs` moved along `direction` as far as `length`, none below 0.
StepCosts moved(StepCosts costs, const std::vector<Coefficient>& unknown,
                const Eigen::VectorXd& direction, double length) {
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    double& value = valueOf(costs, unknown[i]);
    value = std::max(
        0.0, value + length * scaleOf(unknown[i]) * direction[static_cast<Eigen::Index>(i)]);
  }
  return costs;
}

/// The unknowns that may move: at 0, only those that want to grow. Their best step otherwise.
Eigen::VectorXd directionFrom(const std::vector<Observation>& observations, const StepCosts& costs,
                              const std::vector<Coefficient>& unknown) {
  const Eigen::VectorXd residuals = residualsOf(observations, costs);
  Eigen::MatrixXd matrix = jacobian(observations, costs, unknown);
  const Eigen::VectorXd downhill = -matrix.transpose() * residuals;
  StepCosts at = costs;
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (valueOf(at, unknown[i]) <= 0 && downhill[column] <= 0) matrix.col(column).setZero();
  }
  Eigen::VectorXd lengths = matrix.colwise().norm().transpose();
  lengths = lengths.unaryExpr([](double length) { return length > 0 ? length : 1.0; });
  const Eigen::VectorXd step = decompose(withUnitColumns(matrix)).solve(-residuals);
  return step.cwiseQuotient(lengths);
}

/// The best costs on the way along the Gauss-Newton step, halved until it helps.
bool improve(const std::vector<Observation>& observations, const std::vector<Coefficient>& unknown,
             StepCosts& costs) {
  constexpr int kMostHalvings = 12;
  constexpr double kEnough = 1 - 1e-9;  // of the error before
  const double before = residualsOf(observations, costs).norm();
  const Eigen::VectorXd direction = directionFrom(observations, costs, unknown);
  double length = 1;
  for (int i = 0; i < kMostHalvings; ++i, length /= 2) {
    const StepCosts next = moved(costs, unknown, direction, length);
    if (residualsOf(observations, next).norm() >= kEnough * before) continue;
    costs = next;
    return true;
  }
  return false;
}

/// Rank, condition and what they leave open.
void judge(const Eigen::MatrixXd& matrix, const std::vector<Coefficient>& unknown, CostFit& fit) {
  const Eigen::MatrixXd units = withUnitColumns(matrix);
  const auto qr = decompose(units);
  fit.rank = static_cast<int>(qr.rank());
  const auto diagonal = qr.matrixQR().diagonal().cwiseAbs();
  const double least = diagonal.minCoeff();
  const bool has_all = units.rows() >= units.cols() && least > 0;
  fit.condition = has_all ? diagonal.maxCoeff() / least : std::numeric_limits<double>::infinity();
  // Undetermined is what the other columns can make up for.
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    Eigen::MatrixXd others = units;
    others.col(column).setZero();
    if (units.col(column).norm() > 0 && decompose(others).rank() < fit.rank) continue;
    fit.undetermined.push_back(unknown[i]);
  }
}

}  // namespace

std::string_view toString(Coefficient coefficient) {
  switch (coefficient) {
    case Coefficient::kStep: return "step";
    case Coefficient::kHop: return "hop";
    case Coefficient::kMessage: return "message";
    case Coefficient::kByte: return "byte";
    case Coefficient::kAdd: return "add";
    case Coefficient::kFarByte: return "far byte";
    case Coefficient::kCrowding: return "crowding";
    case Coefficient::kExchangeFactor: return "exchange factor";
  }
  return {};
}

double& valueOf(StepCosts& costs, Coefficient coefficient) {
  switch (coefficient) {
    case Coefficient::kStep: return costs.step;
    case Coefficient::kHop: return costs.exchange.hop;
    case Coefficient::kMessage: return costs.exchange.message;
    case Coefficient::kByte: return costs.exchange.byte;
    case Coefficient::kFarByte: return costs.far_byte;
    case Coefficient::kCrowding: return costs.crowding;
    case Coefficient::kExchangeFactor: return costs.exchange_factor;
    case Coefficient::kAdd: break;
  }
  return costs.exchange.add;
}

double CostFit::error() const {
  double squares = 0;
  for (const double residual : residuals)
    squares += residual * residual;
  return residuals.empty() ? 0 : std::sqrt(squares / static_cast<double>(residuals.size()));
}

std::string CostFit::caveat() const {
  if (!undetermined.empty()) {
    std::string names;
    for (const Coefficient coefficient : undetermined)
      names += (names.empty() ? "" : ", ") + std::string(toString(coefficient));
    return "the measurements do not determine " + names +
           ": only what they predict together counts";
  }
  if (condition < kBadCondition) return {};
  return "the fit is badly conditioned (" + fixedText(condition, 0) +
         "): small errors of measurement change single costs much";
}

Result<CostFit> fitCosts(const std::vector<Observation>& observations, const StepCosts& start,
                         const std::vector<Coefficient>& unknown) {
  if (observations.empty() || unknown.empty())
    return Error{ErrorCode::kInvalid, "costs cannot be fitted to no measurement"};
  for (const Observation& observation : observations) {
    if (std::isfinite(observation.seconds) && observation.seconds > 0) continue;
    return Error{ErrorCode::kInvalid, "costs cannot be fitted to a step of no time"};
  }
  CostFit fit;
  fit.costs = start;
  int rounds = 0;
  while (rounds < kMostRounds && improve(observations, unknown, fit.costs))
    ++rounds;
  const Eigen::VectorXd residuals = residualsOf(observations, fit.costs);
  fit.residuals.assign(residuals.begin(), residuals.end());
  judge(jacobian(observations, fit.costs, unknown), unknown, fit);
  return fit;
}

}  // namespace sumac::planner
