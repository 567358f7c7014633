#pragma once

#include <string>

#include "common/profile/job_profile.h"

namespace sumac::cli {

/// A profile for people: where it was measured, its batches, the layers of one of them, and links.
std::string profileTable(const JobProfile& profile);

}  // namespace sumac::cli
