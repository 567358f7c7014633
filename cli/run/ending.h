#pragma once

#include <ostream>
#include <string>

#include "cli/run/folder.h"
#include "cli/run/local_job.h"
#include "common/base/wall_time.h"
#include "common/progress/job_end.h"

namespace sumac::cli {

/// Says why a run failed: the failure, what the member said last, and the end of its log.
void explainFailure(const Failure& failure, const RunFolder& folder, std::ostream& err);

/// Says what stopped a run, and who did not answer, as the coordinator says and as we saw it.
void explainStop(const LocalJobResult& result, const RunFolder& folder, std::ostream& err);

/// The end of a run of the job `name` that did not succeed, as its folder keeps it. Also knows what
/// a member that was killed could not write.
JobEnd endOfRun(const std::string& name, const LocalJobResult& result, const RunFolder& folder,
                WallTime now);

}  // namespace sumac::cli
