#pragma once

#include <span>

#include "base/report/report.h"
#include "planner/advice/advice.h"

namespace sumac::planner {

// The tables of a plan, each made once: a column's key is its name in the JSON, which stays the
// same from version to version; its title is for people. Values are in seconds, bytes, samples and
// shares of 1, money in Advice::currency; a figure that is not known is null. Pure functions of an
// answer that advise() gave: any thread may call them, and none fails. The tables hold copies.

/// A row for each of `all`, indices of Advice::configurations, with what matters most for people,
/// and why those with obstacles are not possible.
report::Table alternatives(const Advice& advice, std::span<const std::size_t> all);

/// The same with all figures.
report::Table configurationsTable(const Advice& advice, std::span<const std::size_t> all);

/// The best configuration with each number of workers, or why there is none.
report::Table scaleTable(const Advice& advice);

/// The strategies of Kahira et al. with the members of the recommended way; figures only of those
/// with an estimate.
report::Table strategiesTable(const Advice& advice);

/// The algorithm of each convolution.
report::Table convolutionsTable(const ConvolutionAdvice& advice);

/// What the answer follows from: each figure, and where it is from.
report::Table figuresTable(const Advice& advice);

/// Groups of candidates without a prediction, each with the reason and one of them.
report::Table unpredictedTable(const Advice& advice);

/// For programs: options, each of which is enough for a configuration to keep all limits.
report::Table enoughTable(const Obstruction& obstruction);

/// For programs: a choice as an object.
report::Value choiceJson(const JobChoice& choice);

}  // namespace sumac::planner
