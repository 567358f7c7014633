#pragma once

#include <filesystem>
#include <vector>

#include "common/base/result.h"
#include "common/profile/job_profile.h"
#include "common/profile/profile_use.h"

namespace sumac::cli {

/// The profiles of `files`, put together: the first one, and the batches of the others whose
/// samples, parts and threads the ones before lack. Links and sums are those of the first. Fails
/// with kInvalid, naming the file, for one that is not what `need` says, or of another machine than
/// the first.
Result<JobProfile> planProfile(const std::vector<std::filesystem::path>& files,
                               const ProfileNeed& need);

}  // namespace sumac::cli
