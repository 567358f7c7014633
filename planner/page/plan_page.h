#pragma once

#include <string>

#include "planner/advice/advice.h"

namespace sumac::planner {

/// What wrote a page.
struct PlanOrigin {
  std::string version;  // of Sumac
  std::string command;  // that writes it again, quoted for a shell
};

/// plan.html: the recommendation with its reasons, then pictures and tables of everything that it
/// was chosen from, in one file that needs no other. A pure function; any text may stand in the
/// advice. Requires indices that lie in `advice.ways`, as advice from planner/advice has.
std::string planPage(const Advice& advice, const PlanOrigin& origin);

}  // namespace sumac::planner
