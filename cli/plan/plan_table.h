#pragma once

#include <string>

#include "planner/advice/advice.h"

namespace sumac::cli {

/// The answer for people: what is recommended and why, the best ways, the best by number of
/// workers, strategies, rules, what would change it, and where its figures are from.
std::string planTable(const planner::Advice& advice);

}  // namespace sumac::cli
