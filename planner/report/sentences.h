#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/advice/advice.h"

namespace sumac::planner {

// The words of a plan, and the only place that has any: each enum of an answer with its amounts as
// text. Amounts are in seconds, bytes, bytes a second and shares of 1, money in Advice::currency.
// Sentences end in a period; other texts are parts of sentences or of tables. Pure functions of an
// answer that advise() gave: any thread may call them, and none fails. Where the answer has
// nothing of what a function tells, its text is empty.

std::string joined(const std::vector<std::string>& texts, std::string_view between);

/// An amount of money: "3.42 USD"; below 1 three digits.
std::string moneyText(double amount, std::string_view currency);

/// The same with all digits: of what somebody gave.
std::string givenMoneyText(double amount, std::string_view currency);

/// A link's rate as networks have it: 125'000'000 is "1 Gbit/s".
std::string linkText(double bytes_per_second);

/// "4 workers, 1 server, centralized, batch 128, fp32"; "1 worker, no exchange, batch 128".
std::string choiceText(const JobChoice& choice);

/// Its method; "none" where there is no exchange.
std::string exchangeText(const JobChoice& choice);

/// "one member a machine of type n2-standard-4".
std::string placeText(const Place& place);

/// "deadline 1 h", "at most 8 workers".
std::vector<std::string> limitTexts(const Advice& advice);

/// "1 worker, no exchange, batch 64: 193 ms ± 4.6 % for 360 steps".
std::string predictionText(const Advice& advice, const Configuration& one);

/// Which limit no configuration keeps, and options that are enough, as they are typed. Requires
/// Advice::obstruction.
std::string noPlanText(const Advice& advice);

/// Why the recommended configuration is it, or what is at risk: a sentence. Requires a
/// recommendation.
std::string reasonText(const Advice& advice, const Reason& reason);

/// "a member needs 5.1 GiB of memory, 1.1 GiB over the limit of 4.0 GiB".
std::string obstacleText(const Advice& advice, const MemberMemory& memory,
                         const BrokenLimit& obstacle);

/// Why the best configuration with so many workers is not possible; empty: it is.
std::string whyNot(const Advice& advice, const ScalePoint& point);

/// Why a strategy is not recommended; empty: Sumac has it.
std::string whyNot(const Advice& advice, const Assessment& assessed);

/// What holds a strategy up.
std::string findingText(const Finding& finding);

/// How the strategies' figures follow from those of the configurations, sentences.
std::string basisText(const StrategyBasis& basis);

/// "links at half their rate".
std::string trialText(const Trial& trial);

/// What would be recommended then, a sentence. Requires a recommendation.
std::string changeText(const Advice& advice, const Change& change);

/// What the rules of Zou et al. say of the mini-batch, the servers and the workers; empty where one
/// does not apply.
std::string largestBatchText(const SizingAdvice& sizing);
std::string serversText(const SizingAdvice& sizing);
std::string workersText(const SizingAdvice& sizing);

/// What all algorithms take together, one sentence.
std::string convolutionsText(const ConvolutionAdvice& advice);

/// What else to know of the answer.
std::string noteText(const Advice& advice, const Note& note);

/// How early a warning stands among those of an answer, the smallest first; nothing: no warning.
std::optional<std::ptrdiff_t> warningRank(NoteKind kind);

/// A figure's name, and its value with its unit.
std::string figureText(FigureName name);
std::string valueText(const Advice& advice, const NamedFigure& figure);

std::string sourceText(const Advice& advice, const NamedFigure& figure);

/// Why a group has no prediction, without a period.
std::string unpredictedText(const Unpredicted& group);

}  // namespace sumac::planner
