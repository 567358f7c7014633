#include "common/checkpoint/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include "common/base/file.h"
#include "common/checkpoint/content.h"
#include "common/checkpoint/file_tensors.h"
#include "common/checkpoint/manifest.h"
#include "common/checkpoint/safetensors.h"

namespace sumac::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxManifestBytes = 1'000'000;

/// A checkpoint's name, ordered by age.
struct Name {
  Step step = 0;
  std::uint32_t term = 0;

  auto operator<=>(const Name&) const = default;
  std::string text() const { return "step-" + std::to_string(step) + "-" + std::to_string(term); }
};

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

/// All folders named as checkpoints, newest first, whatever they hold; none where there is no
/// `folder`. Fails with kUnavailable when it cannot be listed.
Result<std::vector<Name>> listNames(const fs::path& folder) {
  std::vector<Name> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (const auto name = parseName(it->path().filename().string())) names.push_back(*name);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return Error{ErrorCode::kUnavailable,
                 "cannot list checkpoints in " + folder.string() + ": " + error.message()};
  }
  std::sort(names.rbegin(), names.rend());
  return names;
}

Error damaged(const fs::path& file, const std::string& why) {
  return Error{ErrorCode::kInvalid, "checkpoint file " + file.string() + " cannot be used: " + why};
}

/// Why a file could not be read: one that is missing or too long is damaged, but a disk or a
/// network that fails says nothing about the checkpoint.
Error notRead(const fs::path& file, const Error& why) {
  if (why.code != ErrorCode::kUnavailable) return damaged(file, why.message);
  return Error{ErrorCode::kUnavailable,
               "checkpoint file " + file.string() + " cannot be read: " + why.message};
}

Error ofLaterVersion(const fs::path& file, const Error& why) {
  return Error{ErrorCode::kUnsupported, "checkpoint file " + file.string() + ": " + why.message};
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

/// One file with the length and CRC that its manifest names.
Result<Bytes> readVerified(const fs::path& folder, const FileEntry& entry) {
  const fs::path path = folder / entry.name;
  auto content = readFile(path, entry.length);
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

Error folderError(const std::string& attempt, const fs::path& path, const std::error_code& error) {
  return Error{ErrorCode::kUnavailable, attempt + " " + path.string() + ": " + error.message()};
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

/// Removes what is older than the newest `keep` up to `written`. Newer ones, left behind by a run
/// that was rolled back, neither count nor go: `written` itself must never be the one to leave.
void removeOld(const fs::path& folder, const Name& written, int keep) {
  int kept = 0;
  const auto names = listNames(folder);
  if (!names) return;
  for (const Name& name : *names) {
    if (name > written || !looksComplete(folder, name)) continue;
    if (++kept <= std::max(keep, 1)) continue;
    std::error_code ignored;  // a checkpoint too many costs disk, not correctness
    // The manifest first: a removal cut short must not leave something that looks complete.
    fs::remove(folder / name.text() / kManifestFile, ignored);
    if (!ignored) fs::remove_all(folder / name.text(), ignored);
  }
}

constexpr std::string_view kPartial = "partial-";

/// Where a writer makes a checkpoint: no other has this name.
fs::path partialPath(const fs::path& folder, const Name& name, Incarnation writer) {
  std::ostringstream text;
  text << kPartial << name.text() << '-' << std::hex << writer;
  return folder / text.str();
}

/// Removes what writers have left that were killed. Another may be at work on what is younger.
void removeAbandoned(const fs::path& folder) {
  constexpr std::chrono::hours kAbandoned{24};
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with(kPartial)) continue;
    std::error_code ignored;
    const auto touched = fs::last_write_time(it->path(), ignored);
    if (!ignored && now - touched > kAbandoned) fs::remove_all(it->path(), ignored);
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

Result<void> writeFiles(const fs::path& path, const Content& content, const WriteOptions& options) {
  if (auto made = makeFresh(path); !made) return made;
  if (auto made = createFile(path / kModelFile, content.model); !made) return made;
  if (auto made = createFile(path / kOptimizerFile, content.optimizer); !made) return made;
  if (content.manifest.hasState()) {
    if (auto made = createFile(path / kStateFile, content.state); !made) return made;
  }
  if (options.confirm) {
    if (auto confirmed = options.confirm(); !confirmed) return confirmed;
  }
  return createFile(path / kManifestFile, asBytes(content.manifest.text()));
}

/// Whether this very checkpoint is complete; false where there is none or a damaged one. Fails with
/// kConflict when it holds something else, and when it cannot be judged.
Result<bool> isThere(const fs::path& folder, const Name& name, const Content& content) {
  const auto found = verify(folder, name);
  if (!found && found.error().code == ErrorCode::kInvalid) return false;
  if (!found) return found.error();
  if (found->text() == content.manifest.text()) return true;
  return Error{ErrorCode::kConflict, "checkpoint " + (folder / name.text()).string() +
                                         " exists already and holds something else; choose "
                                         "another folder, or resume from it"};
}

/// Leaves nothing behind when it fails.
Result<void> make(const fs::path& folder, const Name& name, const Content& content,
                  const WriteOptions& options) {
  const fs::path path = folder / name.text();
  const fs::path partial = partialPath(folder, name, options.writer);
  auto written = writeFiles(partial, content, options);
  if (written) written = publish(partial, path);
  if (!written && written.error().code == ErrorCode::kConflict) {
    const auto other = isThere(folder, name, content);
    if (other && !*other) {
      removeDamaged(path, partial);
      written = publish(partial, path);
    }
  }
  std::error_code ignored;
  if (!written) fs::remove_all(partial, ignored);
  return written;
}

/// The values of one file, with the tensors of `network`.
Result<std::vector<float>> readValues(const fs::path& path, const FileEntry& entry,
                                      const model::Network& network) {
  const auto file = readVerified(path, entry);
  if (!file) return file.error();
  auto decoded = decodeSafetensors(network, *file);
  if (!decoded) return damaged(path / entry.name, decoded.error().message);
  return std::move(decoded->values);
}

Result<State> read(const fs::path& folder, const model::Network& network, const Name& name) {
  const auto manifest = readManifest(folder, name);
  if (!manifest) return manifest.error();
  const fs::path path = folder / name.text();
  const bool in_plan_order = manifest->isInPlanOrder();
  const model::Network tensors = in_plan_order ? network : fileTensors(network);
  const auto plan = [&](std::vector<float> values) {
    return in_plan_order ? std::move(values) : fromFile(network, values);
  };
  auto weights = readValues(path, manifest->model, tensors);
  if (!weights) return weights.error();
  const auto stacked =
      readValues(path, manifest->optimizer_file, optimizerNetwork(tensors, manifest->optimizer));
  if (!stacked) return stacked.error();

  State state;
  state.step = manifest->step;
  state.term = manifest->term;
  state.plan_hash = manifest->plan_hash;
  state.numerics = manifest->numerics;
  state.weights = plan(*std::move(weights));
  auto next = stacked->begin();
  for (const std::string& vector : manifest->optimizer) {
    state.optimizer[vector] = plan({next, next + tensors.parameters});
    next += tensors.parameters;
  }
  if (manifest->hasState()) {
    const auto both = readValues(path, manifest->state_file,
                                 stateNetwork(manifest->recurrent, manifest->statistics));
    if (!both) return both.error();
    const auto cut = both->begin() + manifest->recurrent;
    state.recurrent.assign(both->begin(), cut);
    state.statistics.assign(cut, both->end());
  }
  return state;
}

/// What `read_one` makes of the newest checkpoint of `step` that it can read; else why it could not
/// read the newest.
template <typename ReadOne>
auto firstOfStep(const fs::path& folder, Step step, const ReadOne& read_one)
    -> decltype(read_one(Name{})) {
  const auto names = listNames(folder);
  if (!names) return names.error();
  Error last{ErrorCode::kNotFound,
             "there is no checkpoint of step " + std::to_string(step) + " in " + folder.string()};
  bool first = true;
  for (const Name& name : *names) {
    if (name.step != step) continue;
    auto found = read_one(name);
    if (found) return found;
    if (first) last = found.error().within("while restoring step " + std::to_string(step));
    first = false;
  }
  return last;
}

}  // namespace

Result<fs::path> write(const fs::path& folder, const model::Network& network, const State& state,
                       const WriteOptions& options) {
  const Content content = contentOf(network, state);
  const Name name{state.step, state.term};
  const fs::path path = folder / name.text();
  const auto before = isThere(folder, name, content);
  if (!before) return before.error();
  if (*before) return path;
  removeAbandoned(folder);
  if (const auto made = make(folder, name, content, options); !made) {
    const auto other = isThere(folder, name, content);  // another writer may have been faster
    if (!other) return other.error();
    if (*other) return path;
    return made.error().within("while writing checkpoint of step " + std::to_string(state.step));
  }
  removeOld(folder, name, options.keep);
  return path;
}

Result<std::optional<Step>> newest(const fs::path& folder, std::vector<std::string>& warnings) {
  const auto names = listNames(folder);
  if (!names) return names.error();
  std::optional<Error> unsupported;
  for (const Name& name : *names) {
    const auto manifest = verify(folder, name);
    if (manifest) return std::optional(name.step);
    const Error& error = manifest.error();
    if (error.code == ErrorCode::kUnavailable) {
      return Error{error.code,
                   error.message + "; try again, or remove its folder to resume from an older one"};
    }
    if (error.code == ErrorCode::kUnsupported && !unsupported) unsupported = error;
    warnings.push_back(error.message + "; skipped, looking for an older checkpoint");
  }
  if (!unsupported) return std::optional<Step>();
  return Error{ErrorCode::kUnsupported,
               unsupported->message +
                   ", and there is no other checkpoint to resume from; resume with the version of "
                   "sumac that wrote it, or choose another folder to start from step 0"};
}

Result<Origin> originOf(const fs::path& folder, Step step) {
  return firstOfStep(folder, step, [&](const Name& name) -> Result<Origin> {
    auto manifest = readManifest(folder, name);
    if (!manifest) return manifest.error();
    return Origin{std::move(manifest->plan_hash), std::move(manifest->numerics)};
  });
}

Result<State> restore(const fs::path& folder, const model::Network& network, Step step) {
  return firstOfStep(folder, step, [&](const Name& name) { return read(folder, network, name); });
}

}  // namespace sumac::checkpoint
