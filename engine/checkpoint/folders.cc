#include "engine/checkpoint/folders.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/core/file.h"
#include "engine/checkpoint/content.h"

namespace sumac::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxManifestBytes = 1'000'000;

std::optional<Name> parseName(const std::string& text) {
  constexpr std::string_view kPrefix = "step-";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  Name name;
  const char* const end = text.data() + text.size();
  const auto step = std::from_chars(text.data() + kPrefix.size(), end, name.step);
  if (step.ec != std::errc() || step.ptr == end || *step.ptr != '-') return std::nullopt;
  const auto term = std::from_chars(step.ptr + 1, end, name.term);
  if (term.ec != std::errc() || name.step < 0 || name.text() != text) return std::nullopt;
  return name;
}

/// Why a file could not be read: one that is missing or too long is damaged, but a disk or a
/// network that fails says nothing about the checkpoint.
Error notRead(const fs::path& file, const Error& why) {
  if (!isUnread(why)) return damaged(file, why.message);
  return Error{why.code, "checkpoint file " + file.string() + " cannot be read: " + why.message};
}

Error ofLaterVersion(const fs::path& file, const Error& why) {
  return Error{ErrorCode::kUnsupported, "checkpoint file " + file.string() + ": " + why.message};
}

bool isOf(const fs::path& folder, const Name& name, const std::string& plan_hash) {
  const auto manifest = readManifest(folder, name);
  return manifest && manifest->plan_hash == plan_hash;
}

}  // namespace

Result<std::vector<Name>> listNames(const fs::path& folder) {
  std::vector<Name> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (const auto name = parseName(it->path().filename().string())) names.push_back(*name);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    const ErrorCode code = errorCodeOf(error);
    return Error{code == ErrorCode::kNotFound ? ErrorCode::kDenied : code,
                 "cannot list checkpoints in " + folder.string() + ": " + error.message()};
  }
  std::sort(names.rbegin(), names.rend());
  return names;
}

Result<std::vector<Name>> namesOfStep(const fs::path& folder, Step step,
                                      const std::string& plan_hash) {
  auto names = listNames(folder);
  if (!names) return names;
  std::erase_if(*names, [step](const Name& name) { return name.step != step; });
  if (names->size() > 1 && !plan_hash.empty()) {
    std::stable_partition(names->begin(), names->end(),
                          [&](const Name& name) { return isOf(folder, name, plan_hash); });
  }
  return names;
}

bool isUnread(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDenied;
}

Error damaged(const fs::path& file, const std::string& why) {
  return Error{ErrorCode::kInvalid, "checkpoint file " + file.string() + " cannot be used: " + why};
}

Result<Manifest> readManifest(const fs::path& folder, const Name& name) {
  const fs::path path = folder / name.text() / kManifestFile;
  const auto text = readTextFile(path, kMaxManifestBytes);
  if (!text) return notRead(path, text.error());
  auto manifest = Manifest::parse(*text);
  if (!manifest && manifest.error().code == ErrorCode::kUnsupported)
    return ofLaterVersion(path, manifest.error());
  if (!manifest) return damaged(path, manifest.error().message);
  if (Name{manifest->step, manifest->term} != name)
    return damaged(path, "it belongs to another step");
  return manifest;
}

Result<Bytes> readVerified(const fs::path& folder, const FileEntry& entry, WorkCount* work) {
  const fs::path path = folder / entry.name;
  auto content = readFile(path, entry.length, work);
  if (!content) return notRead(path, content.error());
  if (content->size() != entry.length) {
    return damaged(path, "it has " + std::to_string(content->size()) + " bytes, not " +
                             std::to_string(entry.length));
  }
  if (!entry.matches(*content)) return damaged(path, "its checksum is wrong");
  return content;
}

Result<Manifest> verify(const fs::path& folder, const Name& name) {
  auto manifest = readManifest(folder, name);
  if (!manifest) return manifest;
  for (const FileEntry& entry : manifest->files()) {
    if (const auto content = readVerified(folder / name.text(), entry); !content) {
      return content.error();
    }
  }
  return manifest;
}

}  // namespace sumac::checkpoint
