#pragma once

#include <string>
#include <vector>

#include "base/core/slot.h"
#include "base/trace/step_range.h"
#include "cli/run/folder.h"

namespace sumac::cli {

/// Removes what an earlier run in the folder traced.
void removeTrace(const RunFolder& folder, const std::vector<Slot>& members);

/// Joins what the members have traced into trace.json, and removes their parts. Returns what is
/// missing in it, one sentence each, and why; never fails otherwise: the job does not depend on it.
std::vector<std::string> joinTrace(const RunFolder& folder, const std::vector<Slot>& members,
                                   const trace::StepRange& wanted);

}  // namespace sumac::cli
