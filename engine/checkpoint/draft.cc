#include <algorithm>
#include <chrono>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/core/file.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/content.h"
#include "engine/checkpoint/folders.h"

namespace sumac::checkpoint {
namespace {

namespace fs = std::filesystem;

Error folderError(const std::string& attempt, const fs::path& path, const std::error_code& error) {
  return Error{errorCodeOf(error), attempt + " " + path.string() + ": " + error.message()};
}

/// An empty folder at `path`, whatever was there.
Result<void> makeFresh(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return folderError("cannot remove incomplete checkpoint", path, error);
  fs::create_directories(path, error);
  if (error) return folderError("cannot create folder", path, error);
  return flushFolder(path.parent_path().empty() ? fs::path(".") : path.parent_path());
}

/// Cheap: the manifest is whole, and the files have its lengths. Used where nothing is read.
bool looksComplete(const fs::path& folder, const Name& name) {
  const auto manifest = readManifest(folder, name);
  if (!manifest) return false;
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

/// Removes what is older than the newest `keep` up to `written`. Newer ones, left behind by a run
/// that was rolled back, neither count nor go: `written` itself must never be the one to leave.
void removeOld(const fs::path& folder, const Name& written, int keep) {
  int kept = 0;
  const auto names = listNames(folder);
  if (!names) return;
  for (const Name& name : *names) {
    if (name > written || !looksComplete(folder, name)) continue;
    if (++kept <= std::max(keep, 1)) continue;
    // A checkpoint too many costs disk, not correctness.
    [[maybe_unused]] const bool is_gone = removeWhole(folder / name.text());
  }
}

constexpr std::string_view kPartial = "partial-";

/// Where a writer makes a checkpoint: no other has this name.
fs::path partialPath(const fs::path& folder, const Name& name, Incarnation writer) {
  std::ostringstream text;
  text << kPartial << name.text() << '-' << std::hex << writer;
  return folder / text.str();
}

/// Removes what writers have left that were killed, if nothing touched it for so long.
void removePartial(const fs::path& folder, fs::file_time_type::duration untouched) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with(kPartial)) continue;
    std::error_code ignored;
    const auto touched = fs::last_write_time(it->path(), ignored);
    if (!ignored && now - touched >= untouched) fs::remove_all(it->path(), ignored);
  }
}

/// Gives a whole checkpoint its name. Fails with kConflict when that is taken.
Result<void> publish(const fs::path& partial, const fs::path& path) {
  std::error_code error;
  fs::rename(partial, path, error);
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
    return Error{ErrorCode::kConflict, path.string() + " exists already"};
  }
  if (error) return folderError("cannot rename to", path, error);
  return flushFolder(path.parent_path());
}

/// Removes a damaged checkpoint, under a name of the writer's own first.
void removeDamaged(const fs::path& path, const fs::path& partial) {
  std::error_code ignored;  // then the name stays taken, which publish() reports
  fs::path aside = partial;
  aside += "-damaged";
  fs::rename(path, aside, ignored);
  fs::remove_all(aside, ignored);
}

Result<void> writeFiles(const fs::path& path, const Content& content, WorkCount* work) {
  const auto create = [&](std::string_view name, BytesView bytes) {
    return createFile(path / name, bytes, 0644, work);
  };
  if (auto made = makeFresh(path); !made) return made;
  if (auto made = create(kModelFile, content.model); !made) return made;
  if (auto made = create(kOptimizerFile, content.optimizer); !made) return made;
  if (content.manifest.hasState()) {
    if (auto made = create(kStateFile, content.state); !made) return made;
  }
  return {};
}

/// Whether two checkpoints have the same bits: how the workers exchanged does not matter.
bool areSame(Manifest one, const Manifest& other) {
  one.algorithm = other.algorithm;
  one.workers = other.workers;
  if (one.format == kFormat || one.format == kAlgorithmFormat) one.format = other.format;
  return one.text() == other.text();
}

/// Whether this very checkpoint is complete; false where there is none or a damaged one. Fails with
/// kConflict when it holds something else, and when it cannot be judged.
Result<bool> isThere(const fs::path& folder, const Name& name, const Manifest& manifest) {
  const auto found = verify(folder, name);
  if (!found && found.error().code == ErrorCode::kInvalid) return false;
  if (!found) return found.error();
  if (areSame(manifest, *found)) return true;
  return Error{ErrorCode::kConflict, "checkpoint " + (folder / name.text()).string() +
                                         " exists already and holds something else; choose "
                                         "another folder, or resume from it"};
}

}  // namespace

void removeUnfinished(const fs::path& folder) {
  removePartial(folder, fs::file_time_type::duration::min());
}

std::vector<fs::path> removeOldest(const fs::path& folder, Step step, std::uintmax_t bytes) {
  const auto names = listNames(folder);
  if (!names) return {};
  std::vector<Name> complete;
  for (const Name& name : *names) {
    if (name.step < step && looksComplete(folder, name)) complete.push_back(name);
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

struct Draft::Partial {
  Partial(fs::path in, const Name& named, Manifest last, const WriteOptions& with)
      : folder(std::move(in)), name(named), manifest(std::move(last)), options(with) {}
  ~Partial() {
    std::error_code ignored;
    if (!files.empty()) fs::remove_all(files, ignored);
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  fs::path path() const { return folder / name.text(); }
  Result<bool> isThere() const { return checkpoint::isThere(folder, name, manifest); }
  Result<void> publish() const;
  /// Nothing where another writer was faster; else what failed.
  Result<void> unlessThere(const Error& error) const;

  fs::path folder;
  Name name;
  Manifest manifest;
  WriteOptions options;
  fs::path files;  // empty: there is nothing to complete
};

Result<void> Draft::Partial::publish() const {
  if (auto written = createFile(files / kManifestFile, asBytes(manifest.text())); !written) {
    return written;
  }
  auto published = checkpoint::publish(files, path());
  if (published || published.error().code != ErrorCode::kConflict) return published;
  const auto other = isThere();
  if (!other || *other) return published;
  removeDamaged(path(), files);
  return checkpoint::publish(files, path());
}

Result<void> Draft::Partial::unlessThere(const Error& error) const {
  const auto other = isThere();
  if (!other) return other.error();
  if (*other) return {};
  return error.within("while writing checkpoint of step " + std::to_string(name.step));
}

Draft::Draft(std::unique_ptr<Partial> partial) : partial_(std::move(partial)) {}
Draft::~Draft() = default;
Draft::Draft(Draft&& other) noexcept = default;

Result<Draft> Draft::make(const fs::path& folder, const model::Network& network, const State& state,
                          const WriteOptions& options) {
  const Content content = contentOf(network, state);
  const Name name{state.step, state.term};
  auto partial = std::make_unique<Partial>(folder, name, content.manifest, options);
  const auto before = partial->isThere();
  if (!before) return before.error();
  if (!*before) {
    // Another process that shares the folder may be at work on what is younger.
    removePartial(folder, std::chrono::hours(24));
    partial->files = partialPath(folder, name, options.writer);
    if (const auto written = writeFiles(partial->files, content, options.work); !written) {
      if (const auto there = partial->unlessThere(written.error()); !there) return there.error();
    }
  }
  return Draft(std::move(partial));
}

Result<fs::path> Draft::complete() {
  const fs::path path = partial_->path();
  if (partial_->files.empty()) return path;
  if (const auto published = partial_->publish(); !published) {
    if (const auto there = partial_->unlessThere(published.error()); !there) return there.error();
    return path;
  }
  removeOld(partial_->folder, partial_->name, partial_->options.keep);
  return path;
}

Result<fs::path> write(const fs::path& folder, const model::Network& network, const State& state,
                       const WriteOptions& options) {
  auto draft = Draft::make(folder, network, state, options);
  if (!draft) return draft.error();
  return draft->complete();
}

}  // namespace sumac::checkpoint
