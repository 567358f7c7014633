#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "base/core/step.h"
#include "base/core/work_count.h"
#include "engine/checkpoint/manifest.h"

/// The folders in which checkpoints lie: for those who write and who read them.
namespace sumac::checkpoint {

/// A checkpoint's name, ordered by age.
struct Name {
  Step step = 0;
  std::uint32_t term = 0;

  auto operator<=>(const Name&) const = default;
  std::string text() const { return "step-" + std::to_string(step) + "-" + std::to_string(term); }
};

/// All folders named as checkpoints, newest first, whatever they hold; none where there is no
/// `folder`. Fails with kUnavailable or kDenied when it cannot be listed.
Result<std::vector<Name>> listNames(const std::filesystem::path& folder);

/// The checkpoints of `step`, those of `plan_hash` first, each newest first. Fails as listNames()
/// does.
Result<std::vector<Name>> namesOfStep(const std::filesystem::path& folder, Step step,
                                      const std::string& plan_hash);

/// Whether storage failed, or rights were lacking, before anything was known of the checkpoint.
bool isUnread(const Error& error);

/// The error of a file that cannot be used: kInvalid.
Error damaged(const std::filesystem::path& file, const std::string& why);

/// Fails with kInvalid when it is missing or damaged, as isUnread() says when it cannot be read,
/// and with kUnsupported when a later version wrote it.
Result<Manifest> readManifest(const std::filesystem::path& folder, const Name& name);

/// One file with the length and CRC that its manifest names. Fails as readManifest() does.
Result<Bytes> readVerified(const std::filesystem::path& folder, const FileEntry& entry,
                           WorkCount* work = nullptr);

/// The manifest of a checkpoint whose files are all whole.
Result<Manifest> verify(const std::filesystem::path& folder, const Name& name);

}  // namespace sumac::checkpoint
