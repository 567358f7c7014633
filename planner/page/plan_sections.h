#pragma once

#include <string>

#include "base/report/html.h"
#include "planner/advice/advice.h"

namespace sumac::planner {

// The sections of plan.html, each as markup; empty where there is nothing to say.

/// The recommended way beside the job as written.
std::string choiceSection(const Advice& advice);

/// What more workers bring.
std::string scaleSection(const Advice& advice);

/// Where the time of a step goes.
std::string stepSection(const Advice& advice);

/// All ways that can be taken, the first ones at once.
std::string rankingSection(const Advice& advice);

/// All ways that cannot, with the reasons.
std::string refusedSection(const Advice& advice);

/// The parallel strategies of Kahira et al. 2021.
std::string strategySection(const Advice& advice);

/// The rules of Zou et al. 2017.
std::string sizingSection(const Advice& advice);

/// The algorithms of the convolutions, for costs that were given.
std::string convolutionSection(const Advice& advice);

/// A table of which the first rows are seen at once and all when it is unfolded. `noun` is of a
/// row: "way".
std::string longTable(const report::markup::Table& table, const std::string& noun);

/// What a field shows where there is no value.
inline constexpr const char* kNoValue = "-";

}  // namespace sumac::planner
