#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/prepared_configurations.h"
#include "planner/advice/question.h"

namespace sumac::planner {

/// The configurations under some conditions, ranked, with the one to take.
struct Answer {
  std::vector<Configuration> configurations;  // best first, those with obstacles last
  std::optional<std::size_t> recommended;  // an index; nothing: every configuration has an obstacle
};

/// How far predictions are from what is then measured, as a share: the mean of 91 cells of the
/// experiments that docs/experiments.md lists.
inline constexpr double kModelError = 0.045;

/// By what share two configurations may differ and still count as equal: the larger of their
/// margins.
///
/// A margin is that of a step: the spread of the profile's times, for computing and for waiting for
/// cores; the error with which the links' costs explain what was measured, for the exchange; and
/// kModelError, for all of it. They have nothing to do with each other, so it is the root of the
/// sum of their squares.
double indifference(const Configuration& a, const Configuration& b);

/// Whole steps to the progress that the job makes with its own mini-batch. Fails as
/// makeBatchTrade(), and with kInvalid above 2^53.
Result<std::int64_t> stepsWith(const AdviceQuestion& question, std::int64_t batch);

/// Predicts and ranks all prepared configurations. The recommended one has the fewest members of
/// those that are within indifference() of the best; of these the job's own mini-batch, of these
/// one with fp32, of these the job as it is written, of these the best by the goal. Fails as
/// stepsWith(), and with kInvalid where a step takes no time.
Result<Answer> answerUnder(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                           const Conditions& conditions);

/// Adds cost, efficiency, speedup and obstacles to configurations with steps and their times, and
/// sorts them: those that can be taken first, each group by the goal, equal ones with fewer members
/// first, then in their order. Efficiency is that of the best single worker without servers; where
/// there is none, of the best speed that was profiled.
void rank(const AdviceQuestion& question, double price_factor, std::vector<Configuration>& all);

/// What the goal weighs: seconds, money, or 1 / efficiency. Low is good.
double weightOf(const Configuration& one, PlanGoal goal);

}  // namespace sumac::planner
