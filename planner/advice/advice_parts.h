#pragma once

#include "base/core/result.h"
#include "planner/advice/advice.h"
#include "planner/advice/answer.h"
#include "planner/advice/prepared_configurations.h"
#include "planner/advice/question.h"

namespace sumac::planner {

// What advise() puts beside the ranked configurations, each in a source of its own.

/// Adds why the recommended configuration is it. Requires one.
void addReasons(Advice& advice);

/// Adds what to know before relying on the answer.
void addNotes(const AdviceQuestion& question, Advice& advice);

/// Operations a second of the fastest forward pass that was profiled, of the network's multiply-
/// accumulates alone; 0 where that is not known.
double profiledOperations(const AdviceQuestion& question);

/// Adds every figure that the answer rests on with where it is from.
void addFigures(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                Advice& advice);

/// Adds which limit no configuration keeps, and what would be enough. Where changing one limit is
/// enough, each such change; else all that the configuration needs which ranks best. Requires
/// configurations that all have an obstacle, at least one.
void addObstruction(const AdviceQuestion& question, Advice& advice);

/// What the rules of Zou et al. 2017 say of a configuration: the largest mini-batch that one
/// worker's memory takes, how many servers hide the exchange, and how far more workers help.
/// Nothing where a rule cannot be applied; there are no servers to advise where nothing is
/// exchanged.
///
/// T_C are the passes, which workers divide, and T_O is all else of a step: the update, too, which
/// each does whole. The paper measures R_O = T_O / T_C on one worker. Of several it follows from
/// the predicted speedup, since one worker alone knows nothing of their exchange.
SizingAdvice sizingFor(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                       const Configuration& one);

/// What would change the answer: links and computing half and twice as fast, machines at half and
/// twice their price where that is known, the noise scale at the ends of its interval, the rate of
/// links at which the answer changes, as far as a factor of 64, and their latency at which it does,
/// to 10 ms. Adds to Advice::changes and Advice::unchanged. Requires an answer with a recommended
/// configuration. Fails as answerUnder().
Result<void> addSensitivity(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                            const Answer& answer, Advice& advice);

/// Adds what the oracle of Kahira et al. 2021 says of all parallel strategies with as many members
/// as `one` has workers, one mini-batch as the epoch. The layers' times are as profiled,
/// all times one factor, so that serial training is the predicted step of one worker; links are
/// those of `prepared`, times one factor, so that data parallelism is the best predicted all-reduce
/// with nothing hidden. Advice::strategies_basis says so. Only data parallelism is in this version.
/// Adds nothing for one worker, which divides nothing. Fails as rankStrategies().
Result<void> addStrategies(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                           const Configuration& one, Advice& advice);

/// Adds the choice of algorithms by the integer program of Zou et al. 2017, where the question has
/// costs. Not advice for this version: kChoiceIsNotAdvice.
///
/// Fails with kInvalid where they are not of exactly the network's convolutions, or not even the
/// smallest workspaces fit.
Result<void> addConvolutions(const AdviceQuestion& question, Advice& advice);

}  // namespace sumac::planner
