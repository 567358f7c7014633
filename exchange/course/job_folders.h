#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "exchange/membership/roster.h"

namespace sumac::worker {

/// The folders that a worker may have to write into, and whose they are. A value type.
struct JobFolders {
  std::filesystem::path checkpoints;  // empty: none are written
  std::filesystem::path output;       // empty: none
  std::string job_uid;                // of the TrainingJob; empty: not known
  std::uint64_t attempt = 0;          // of that job
};

/// What names a job's unfinished checkpoints in a folder that other jobs may share: the uid itself
/// may be any text. Empty outside a cluster.
std::string checkpointOwnerOf(const std::string& job_uid);

/// Any other text than a number is that of the first attempt: only hands start members so.
std::uint64_t attemptNumberOf(const std::string& attempt);

/// How messages name the folders: "--checkpoint", "SUMAC_OUTPUT".
struct FolderNames {
  const char* checkpoints;
  const char* output;
};

/// Makes sure, by trying, that the results can be saved: a training is not begun otherwise. Makes
/// the folders. Fails as requireWritable() does.
Result<void> requireFolders(const JobFolders& folders, const FolderNames& names);

/// Takes the output for the job of this name: in a cluster nothing else keeps two jobs from one
/// folder. Does nothing outside of one. Fails as OutputFolder::claim() does.
Result<void> claimOutput(const JobFolders& folders, const std::string& name_space,
                         const std::string& job);

/// JoinRequest::volume: whether this worker can write into the folders, and who of this attempt did
/// last. Makes none: that of a volume which is not mounted here would be nobody's.
std::optional<RosterOrder> volumeOf(const JobFolders& folders);

}  // namespace sumac::worker
