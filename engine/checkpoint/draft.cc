#include <system_error>
#include <utility>

#include "base/core/file.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/content.h"
#include "engine/checkpoint/folders.h"
#include "engine/checkpoint/pruning.h"

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
  if (content.manifest.isOfProgram()) {
    if (auto made = create(kProgramFile, asBytes(content.program)); !made) return made;
  }
  if (!content.job.empty()) {
    if (auto made = create(kJobFile, asBytes(content.job)); !made) return made;
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

enum class Taken { kNot, kByUs, kByAnotherJob };

/// Whose complete checkpoint has this name; a damaged one has nobody's. Fails with kConflict when
/// it is this job's and holds something else, and when it cannot be judged.
Result<Taken> takenBy(const fs::path& folder, const Name& name, const Manifest& manifest) {
  const auto found = verify(folder, name);
  if (!found && found.error().code == ErrorCode::kInvalid) return Taken::kNot;
  if (!found) return found.error();
  if (found->plan_hash != manifest.plan_hash) return Taken::kByAnotherJob;
  if (areSame(manifest, *found)) return Taken::kByUs;
  return Error{ErrorCode::kConflict, "checkpoint " + (folder / name.text()).string() +
                                         " exists already and holds something else; choose "
                                         "another folder, or resume from it"};
}

}  // namespace

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
  /// Whether this very checkpoint is complete. Goes on to a name that no other job has taken: the
  /// step of two jobs that share a folder may be the same.
  Result<bool> isThere();
  Result<void> publish();
  /// Nothing where another writer was faster; else what failed.
  Result<void> unlessThere(const Error& error);

  fs::path folder;
  Name name;
  Manifest manifest;
  WriteOptions options;
  fs::path files;  // empty: there is nothing to complete
};

Result<bool> Draft::Partial::isThere() {
  for (;; manifest.term = ++name.term) {
    const auto taken = takenBy(folder, name, manifest);
    if (!taken) return taken.error();
    if (*taken != Taken::kByAnotherJob) return *taken == Taken::kByUs;
  }
}

Result<void> Draft::Partial::publish() {
  for (bool was_damaged = false;;) {
    std::error_code ignored;
    fs::remove(files / kManifestFile, ignored);  // of a name that was taken meanwhile
    if (auto written = createFile(files / kManifestFile, asBytes(manifest.text())); !written) {
      return written;
    }
    auto published = checkpoint::publish(files, path());
    if (published || published.error().code != ErrorCode::kConflict) return published;
    const Name before = name;
    const auto is_there = isThere();
    if (!is_there || *is_there) return published;
    if (name != before) continue;
    if (was_damaged) return published;
    removeDamaged(path(), files);
    was_damaged = true;
  }
}

Result<void> Draft::Partial::unlessThere(const Error& error) {
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
  return make(folder, contentOf(network, state), options);
}

Result<Draft> Draft::make(const fs::path& folder, const Content& content,
                          const WriteOptions& options) {
  const Manifest& manifest = content.manifest;
  auto partial =
      std::make_unique<Partial>(folder, Name{manifest.step, manifest.term}, manifest, options);
  const auto before = partial->isThere();
  if (!before) return before.error();
  if (!*before) {
    // Another process that shares the folder may be at work on what is younger.
    removeAbandoned(folder);
    partial->files = partialPath(folder, partial->name, options.owner, options.writer);
    if (const auto written = writeFiles(partial->files, content, options.work); !written) {
      if (const auto there = partial->unlessThere(written.error()); !there) return there.error();
    }
  }
  return Draft(std::move(partial));
}

Result<fs::path> Draft::complete() {
  if (partial_->files.empty()) return partial_->path();
  if (const auto published = partial_->publish(); !published) {
    if (const auto there = partial_->unlessThere(published.error()); !there) return there.error();
    return partial_->path();
  }
  removeOld(partial_->folder, partial_->name, partial_->options.keep, partial_->manifest.plan_hash);
  return partial_->path();
}

Result<fs::path> write(const fs::path& folder, const model::Network& network, const State& state,
                       const WriteOptions& options) {
  auto draft = Draft::make(folder, network, state, options);
  if (!draft) return draft.error();
  return draft->complete();
}

}  // namespace sumac::checkpoint
