#include "engine/checkpoint/pruning.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>
#include <system_error>

#include "engine/checkpoint/checkpoint.h"

namespace sumac::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = "partial-";

/// Cheap: the manifest is whole and of `plan_hash`, and the files have its lengths. Used where
/// nothing is read.
bool looksComplete(const fs::path& folder, const Name& name, const std::string& plan_hash) {
  const auto manifest = readManifest(folder, name);
  if (!manifest || manifest->plan_hash != plan_hash) return false;
  for (const FileEntry& entry : manifest->files()) {
    std::error_code error;
    if (fs::file_size(folder / name.text() / entry.name, error) != entry.length || error) {
      return false;
    }
  }
  return true;
}

// The manifest first: a removal cut short must not leave something that looks complete.
bool removeWhole(const fs::path& checkpoint) {
  std::error_code failure;
  fs::remove(checkpoint / kManifestFile, failure);
  if (!failure) fs::remove_all(checkpoint, failure);
  return !failure;
}

std::uintmax_t bytesIn(const fs::path& checkpoint) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator it(checkpoint, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    const std::uintmax_t size = it->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

/// Removes the partial folders that `goes` says.
void removePartial(const fs::path& folder, const std::function<bool(const fs::path&)>& goes) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const bool is_partial = it->path().filename().string().starts_with(kPartial);
    if (is_partial && goes(it->path())) fs::remove_all(it->path(), ignored);
  }
}

}  // namespace

fs::path partialPath(const fs::path& folder, const Name& name, std::string_view owner,
                     Incarnation writer) {
  std::ostringstream text;
  text << kPartial << name.text() << '-';
  if (!owner.empty()) text << owner << '-';
  text << std::hex << writer;
  return folder / text.str();
}

void removeAbandoned(const fs::path& folder) {
  const auto now = fs::file_time_type::clock::now();
  removePartial(folder, [now](const fs::path& partial) {
    std::error_code error;
    const auto touched = fs::last_write_time(partial, error);
    return !error && now - touched >= std::chrono::hours(24);
  });
}

void removeUnfinished(const fs::path& folder) {
  removePartial(folder, [](const fs::path&) { return true; });
}

void removeUnfinishedOf(const fs::path& folder, const std::string& owner) {
  if (owner.empty()) return;
  removePartial(folder, [&owner](const fs::path& partial) {
    return partial.filename().string().find("-" + owner + "-") != std::string::npos;
  });
}

void removeOld(const fs::path& folder, const Name& written, int keep,
               const std::string& plan_hash) {
  int kept = 0;
  const auto names = listNames(folder);
  if (!names) return;
  for (const Name& name : *names) {
    if (name > written || !looksComplete(folder, name, plan_hash)) continue;
    if (++kept <= std::max(keep, 1)) continue;
    // A checkpoint too many costs disk, not correctness.
    [[maybe_unused]] const bool is_gone = removeWhole(folder / name.text());
  }
}

std::vector<fs::path> removeOldest(const fs::path& folder, Step step, std::uintmax_t bytes,
                                   const std::string& plan_hash) {
  const auto names = listNames(folder);
  if (!names) return {};
  std::vector<Name> complete;
  for (const Name& name : *names) {
    if (name.step < step && looksComplete(folder, name, plan_hash)) complete.push_back(name);
  }
  std::vector<fs::path> oldest;
  std::uintmax_t held = 0;
  while (held < bytes && complete.size() > 1) {
    oldest.push_back(folder / complete.back().text());
    held += bytesIn(oldest.back());
    complete.pop_back();
  }
  // That one is all that is left then: it must be whole, not only look so.
  if (held < bytes || !verify(folder, complete.front())) return {};
  std::erase_if(oldest, [](const fs::path& checkpoint) { return !removeWhole(checkpoint); });
  return oldest;
}

}  // namespace sumac::checkpoint
