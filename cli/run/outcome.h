#pragma once

#include <optional>

#include "base/core/exit_code.h"
#include "cli/run/folder.h"
#include "cli/run/local_job.h"
#include "cli/run/run.h"
#include "cli/run/sizing_record.h"
#include "job/document/training_job.h"

namespace sumac::cli {

// What a user is told when the members of a run have ended, and what the run's folder keeps of it.

/// Shows the result of a run that ended well. kFailed where its folder has none.
ExitCode showResult(const job::TrainingJob& job, const LocalJobResult& ending,
                    const RunFolder& folder, const std::optional<SizingRecord>& sizing,
                    const RunOptions& options, Streams streams);

/// Says why a run did not succeed, and how to go on; its folder keeps that. The code of the run.
ExitCode showEnd(const job::TrainingJob& job, const LocalJobResult& result, const RunFolder& folder,
                 const std::optional<SizingRecord>& sizing, Streams streams);

}  // namespace sumac::cli
