#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "job/profile/job_profile.h"

namespace sumac {

/// The largest profile that is read.
inline constexpr std::size_t kMaxProfileBytes = 16UL * 1024 * 1024;

/// A profile as a JSON document, for people and programs; times have six digits.
std::string toJson(const JobProfile& profile);

/// Fails with kInvalid and what is wrong where: "batches[2].forwardSeconds.median: must be ...".
/// Nothing is skipped: a field that is missing, unknown, given twice, negative or absurdly large
/// refuses the document, and so do two batches or links of the same kind.
Result<JobProfile> profileFromJson(std::string_view text);

}  // namespace sumac
