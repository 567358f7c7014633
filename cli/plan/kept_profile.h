#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/core/exit_code.h"
#include "cli/plan/plan.h"
#include "cli/plan/this_machine.h"
#include "job/document/job.h"
#include "job/profile/job_profile.h"

namespace sumac::cli {

/// The profile that `sumac plan` takes where none is given: of this job on this machine, kept in
/// the user's cache. One file for each network, optimizer, machine, kernels, version and path of
/// messages: another one of any of them is measured by itself. What a plan asks for and the file
/// does not have (sizes of a part, threads) is measured and added to it; with `options.measures`
/// all is measured anew.
///
/// `here` is what a profile of the job would be of. Says on the error stream which file it is, and
/// before it measures what that is, how long it takes and how to skip it. Where the answer is read
/// by a program (JSON, YAML, --apply), nothing is measured unless `options.measures`.
///
/// Returns an exit code where there is no profile: kUsage where it would have to be measured and
/// may not be, or cannot be kept, else as measuring ended; the error stream has the reason.
std::variant<std::filesystem::path, ExitCode> keptProfile(const PlanOptions& options,
                                                          const job::Reading& reading,
                                                          const JobProfile& here,
                                                          const ThisMachine& machine,
                                                          Streams streams);

/// Adds those batches whose samples, parts and threads `to` lacks.
void addBatches(std::vector<BatchProfile> batches, JobProfile& to);

}  // namespace sumac::cli
