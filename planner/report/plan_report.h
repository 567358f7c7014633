#pragma once

#include <string>

#include "base/report/report.h"
#include "planner/advice/advice.h"

namespace sumac::planner {

/// What wrote a page.
struct PlanOrigin {
  std::string version;  // of Sumac
  std::string command;  // that writes it again, quoted for a shell
};

/// Ends what a terminal shows that was not asked for everything.
inline constexpr const char* kMore = "-o wide and --page FILE show all that this was chosen from.";

/// The answer for people. Terminals get a dozen lines: the recommendation with its main reason,
/// three alternatives, what would change it, and what to know before relying on it; wide ones and
/// pages also everything that it was chosen from. A pure function; any text may stand in the
/// advice. Requires indices that lie in `advice.configurations`, as advice from planner/advice has.
report::Report planReport(const Advice& advice, const PlanOrigin& origin);

/// The whole answer for programs: times in seconds, memory in bytes, shares from 0 to 1, money in
/// `currency`, each said by its field's name. Sentences in it are those of planReport().
report::Value planJson(const Advice& advice);

}  // namespace sumac::planner
