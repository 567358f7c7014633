#include "cli/run/keys.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/core/file.h"
#include "base/keys/job_keys.h"

namespace sumac::cli {
namespace {

constexpr mode_t kOwnersFile = 0600;
constexpr mode_t kOwnersFolder = 0700;

Result<void> makeFolder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), kOwnersFolder) == 0) return {};
  return Error{ErrorCode::kUnavailable,
               "cannot create " + folder.string() + ": " + std::strerror(errno)};
}

/// What one member is given: its own private key, and everybody's public one.
Result<void> writeMember(const std::filesystem::path& folder, const KeyPair& pair,
                         const std::string& public_text) {
  if (auto made = makeFolder(folder); !made) return made;
  std::string text = pair.private_key.text();
  auto written = createFile(folder / "private", asBytes(text), kOwnersFile);
  wipe(text);
  if (!written) return written;
  return createFile(folder / "public", asBytes(public_text), kOwnersFile);
}

}  // namespace

Result<RunKeys> RunKeys::make(std::filesystem::path folder, const job::TrainingJob& job,
                              int workers) {
  if (job.transport == job::Transport::kNone) return RunKeys({});
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);  // of a run that was killed
  if (const auto made = makeFolder(folder); !made) return made.error();
  RunKeys run(std::move(folder));
  const auto keys = makeJobKeys(workers, job.server.replicas);
  if (!keys) return keys.error();
  const std::string public_text = keys->publicText();
  for (const SlotKeys& one : keys->slots) {
    const auto written = writeMember(folderOf(run.folder_, one.slot), one.pair, public_text);
    if (!written) return written.error();
  }
  return run;
}

RunKeys::~RunKeys() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

RunKeys::RunKeys(RunKeys&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

std::filesystem::path RunKeys::folderOf(const std::filesystem::path& folder, Slot slot) {
  return folder / keyName(slot);
}

}  // namespace sumac::cli
