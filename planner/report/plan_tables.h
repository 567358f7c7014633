#pragma once

#include <span>

#include "base/report/report.h"
#include "planner/advice/advice.h"

namespace sumac::planner {

// The tables of a plan, each made once for people and for programs.

/// A few configurations with what matters most, and why those with obstacles are not possible.
report::Table alternatives(const Advice& advice, std::span<const std::size_t> all);

/// With all figures.
report::Table configurationsTable(const Advice& advice, std::span<const std::size_t> all);

/// The best configuration with each number of workers.
report::Table scaleTable(const Advice& advice);

report::Table strategiesTable(const Advice& advice);
report::Table convolutionsTable(const ConvolutionAdvice& advice);
report::Table figuresTable(const Advice& advice);
report::Table unpredictedTable(const Advice& advice);

/// Limits that are enough, for programs.
report::Table enoughTable(const Obstruction& obstruction);

/// A choice as programs read it.
report::Value choiceJson(const JobChoice& choice);

}  // namespace sumac::planner
