#pragma once

#include <ostream>
#include <string>

#include "base/core/exit_code.h"
#include "base/core/wall_time.h"
#include "cli/run/folder.h"
#include "cli/run/local_job.h"
#include "job/document/training_job.h"
#include "job/progress/job_end.h"

namespace sumac::cli {

/// Says why a run failed: the failure, what the member said last, and the end of its log. Requires
/// a failure.
void explainFailure(const LocalJobResult& result, const RunFolder& folder, std::ostream& err);

/// The failure, and what the member said last or, if it said nothing, the end of its log; without a
/// newline at its end. Requires a failure.
std::string causeInLines(const LocalJobResult& result, const RunFolder& folder);

/// Says what stopped a run, and which members did not answer the coordinator or us.
void explainStop(const LocalJobResult& result, std::ostream& err);

/// "500 steps or 60 s": when the next checkpoint comes.
std::string checkpointInterval(const job::CheckpointSpec& checkpoint);

/// Says from which checkpoint a run that ended so can be resumed, and by which command; or that
/// there is none yet.
void sayHowToResume(const JobEnd& end, const RunFolder& folder, const job::TrainingJob& job,
                    std::ostream& err);

/// The end of a run of the job `name` that did not succeed, as its folder keeps it. Also knows what
/// a member that was killed could not write.
JobEnd endOfRun(const std::string& name, const LocalJobResult& result, const RunFolder& folder,
                WallTime now);

}  // namespace sumac::cli
