#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/core/slot.h"
#include "engine/checkpoint/folders.h"

/// Which checkpoints go, for those who write them. Those of other jobs never do.
namespace sumac::checkpoint {

/// Where a writer makes a checkpoint: no other has this name. `owner` as in WriteOptions.
std::filesystem::path partialPath(const std::filesystem::path& folder, const Name& name,
                                  std::string_view owner, Incarnation writer);

/// Removes what writers of any job have left that were killed, if nothing touched it for a day.
void removeAbandoned(const std::filesystem::path& folder);

/// Removes what is older than the newest `keep` up to `written`, all of `plan_hash`. Newer ones,
/// left behind by a run that was rolled back, neither count nor go: `written` itself must never be
/// the one to leave.
void removeOld(const std::filesystem::path& folder, const Name& written, int keep,
               const std::string& plan_hash);

}  // namespace sumac::checkpoint
