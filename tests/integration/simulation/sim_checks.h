#pragma once

#include "tests/integration/simulation/sim_job.h"

namespace sumac {

/// A number of the environment, as how many seeds to take.
std::uint64_t simSetting(const char* name, std::uint64_t otherwise);

/// All members have ended in this way.
void checkEnds(const SimJob& job, const SimOptions& options, ExitCode code);
/// All workers have the weights of a single process after `steps`.
void checkBits(const SimJob& job, const SimOptions& options, Step steps);
/// The newest checkpoint, where there is one, has the weights of a single process.
void checkCheckpoint(const SimJob& job, const SimOptions& options);
/// No server was sent what its member has to reject: the lanes let nothing through twice, late or
/// out of order.
void checkNothingRejected(const SimJob& job, const SimOptions& options);
/// The job is complete, with the bits of a single process.
void checkComplete(const SimJob& job, const SimOptions& options);
/// Whatever disturbs it, the job becomes complete.
void runToTheEnd(SimJob& job, const SimOptions& options);

}  // namespace sumac
