#pragma once

#include <filesystem>
#include <span>

#include "base/core/result.h"
#include "cli/fetch/data_sets.h"

namespace sumac::cli {

/// Takes `members` out of a .tar.gz (POSIX ustar) and puts them into `folder`, which exists, under
/// the last part of their paths. Anything else in the archive is skipped, and no path of it is
/// used: nothing is written anywhere else. A file's name appears when all of the file is there.
///
/// Failure: kInvalid when the archive is damaged, a member is missing or has another size;
/// kUnavailable when a file cannot be read or written.
Result<void> unpackMembers(const std::filesystem::path& archive,
                           std::span<const ArchiveMember> members,
                           const std::filesystem::path& folder);

}  // namespace sumac::cli
