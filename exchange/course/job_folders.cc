#include "exchange/course/job_folders.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "exchange/course/writer_fence.h"
#include "job/progress/output_folder.h"

namespace sumac::worker {

std::string checkpointOwnerOf(const std::string& job_uid) {
  constexpr std::size_t kDigits = 16;
  return job_uid.empty() ? std::string() : sha256Hex(asBytes(job_uid)).substr(0, kDigits);
}

std::uint64_t attemptNumberOf(const std::string& attempt) {
  std::uint64_t number = 0;
  std::from_chars(attempt.data(), attempt.data() + attempt.size(), number);
  return number;
}

Result<void> requireFolders(const JobFolders& folders, const FolderNames& names) {
  const auto require = [](const std::filesystem::path& folder, const std::string& what) {
    const auto checked = folder.empty() ? Result<void>() : requireWritable(folder);
    return checked ? Result<void>() : checked.error().within(what);
  };
  auto checkpoints =
      require(folders.checkpoints, "checkpoints (" + std::string(names.checkpoints) + ")");
  if (!checkpoints) return checkpoints;
  return require(folders.output, "the output (" + std::string(names.output) + ")");
}

Result<void> claimOutput(const JobFolders& folders, const std::string& name_space,
                         const std::string& job) {
  if (folders.job_uid.empty() || folders.output.empty()) return {};
  return OutputFolder(folders.output).claim(name_space.empty() ? job : name_space + "/" + job);
}

std::optional<RosterOrder> volumeOf(const JobFolders& folders) {
  std::optional<RosterOrder> last;
  const std::string owner = checkpointOwnerOf(folders.job_uid);
  for (const auto& [folder, file] :
       {std::pair(folders.output, writerFileOf()), {folders.checkpoints, writerFileOf(owner)}}) {
    if (folder.empty()) continue;
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored) || !requireWritable(folder))
      return std::nullopt;
    if (!last) last = RosterOrder();
    const auto holder = WriterFence(folder, file, {}).holder();
    const bool is_ours = holder && *holder && (*holder)->job == folders.job_uid &&
                         (*holder)->attempt == folders.attempt;
    if (is_ours) last = std::max(*last, (*holder)->order);
  }
  return last;
}

}  // namespace sumac::worker
