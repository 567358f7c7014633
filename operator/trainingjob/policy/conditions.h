#pragma once

#include <string>
#include <string_view>

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Sets one condition; lastTransitionTime moves only when the status does.
void setCondition(Draft& draft, std::string_view type, api::ConditionStatus status,
                  const std::string& reason, const std::string& message);

/// Whether the status has the condition with this reason.
bool hasReason(const api::JobStatus& status, std::string_view type, std::string_view reason);

/// The value of the column State, from the conditions alone.
std::string stateOf(const api::JobStatus& status);

/// The first status of a job: all conditions, its start, its size and its templates. Requires a
/// status without conditions.
void acceptJob(Draft& draft);

/// Finishes the job, for ever.
void succeed(Draft& draft, const JobResult& result, const std::string& message);
void fail(Draft& draft, const std::string& reason, const std::string& message);

}  // namespace sumac::trainingjob
