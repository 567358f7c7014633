#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/core/step.h"
#include "base/log/log.h"

namespace sumac::checkpoint {

/// What a file of so many values takes on a disk, with its head and what is left of its last block.
std::uintmax_t fileBytes(std::size_t values);

/// Makes `needed` bytes free in the file system of `folder`, where they are not: removes the oldest
/// of the complete checkpoints of the job `plan_hash` before `step` that lie in it, too, but never
/// the newest, and nothing where that does not suffice. Returns what is free then; nothing where
/// that is not known, as of some network file systems.
std::optional<std::uintmax_t> makeRoom(const std::filesystem::path& folder, std::uintmax_t needed,
                                       const std::filesystem::path& checkpoints, Step step,
                                       const std::string& plan_hash, const Log& log);

}  // namespace sumac::checkpoint
