#pragma once

#include <chrono>

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// At least this long between two statuses that are written for what was observed alone.
inline constexpr std::chrono::minutes kBetweenCourses{10};

/// Gives the next status the section of a job that chooses its number of workers, or takes it away,
/// as the spec says now. A new job begins with minReplicas, one that has run with as many as it
/// has.
void followAutoscaling(Draft& draft);

/// Adds up the time of workers and servers that have a node.
void keepAccounts(Draft& draft);

/// Decides how many workers the job should have, by what it has reported since the last decision,
/// and puts that into status.autoscaling; scale() then makes it so, in the same status
/// (write-ahead). Only while the job trains. Requires followAutoscaling().
void autoscale(Draft& draft);

/// Why the job has the number of workers that it chose: "SavesTime: saves 40 s until the end".
/// Empty: it does not choose.
std::string choiceOf(const Draft& draft);

/// Whether to write the status for what was observed alone. If it is too early, requests a pass for
/// then.
bool isCourseDue(Draft& draft);

}  // namespace sumac::trainingjob
