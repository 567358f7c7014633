#pragma once

#include "base/report/report.h"
#include "job/profile/job_profile.h"

namespace sumac::cli {

/// A profile for people: where it was measured, its batches, the layers of one of them, links with
/// what the cost model makes of them, and whether something else used the cores.
report::Report profileReport(const JobProfile& profile);

}  // namespace sumac::cli
