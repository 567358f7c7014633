#include "common/checkpoint/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cstring>
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

/// All folders named as checkpoints, newest first, whatever they hold.
std::vector<Name> listNames(const fs::path& folder) {
  std::vector<Name> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (const auto name = parseName(it->path().filename().string())) names.push_back(*name);
  }
  std::sort(names.rbegin(), names.rend());
  return names;
}

Error damaged(const fs::path& file, const std::string& why) {
  return Error{ErrorCode::kInvalid, "checkpoint file " + file.string() + " cannot be used: " + why};
}

Error ofLaterVersion(const fs::path& file, const Error& why) {
  return Error{ErrorCode::kUnsupported, "checkpoint file " + file.string() + ": " + why.message};
}

Result<Manifest> readManifest(const fs::path& folder, const Name& name) {
  const fs::path path = folder / name.text() / kManifestFile;
  const auto text = readTextFile(path, kMaxManifestBytes);
  if (!text) return damaged(path, text.error().message);
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
  if (!content) return damaged(path, content.error().message);
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
  for (const Name& name : listNames(folder)) {
    if (name > written || !looksComplete(folder, name)) continue;
    if (++kept <= std::max(keep, 1)) continue;
    std::error_code ignored;  // a checkpoint too many costs disk, not correctness
    // The manifest first: a removal cut short must not leave something that looks complete.
    fs::remove(folder / name.text() / kManifestFile, ignored);
    if (!ignored) fs::remove_all(folder / name.text(), ignored);
  }
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
  Error last{ErrorCode::kNotFound,
             "there is no checkpoint of step " + std::to_string(step) + " in " + folder.string()};
  bool first = true;
  for (const Name& name : listNames(folder)) {
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
  if (const auto existing = verify(folder, name); existing) {
    if (existing->text() == content.manifest.text()) return path;
    return Error{ErrorCode::kConflict, "checkpoint " + path.string() +
                                           " exists already and holds something else; choose "
                                           "another folder, or resume from it"};
  }
  if (const auto written = writeFiles(path, content, options); !written) {
    std::error_code ignored;  // gives the space back; without a manifest it counts for nothing
    fs::remove_all(path, ignored);
    return written.error().within("while writing checkpoint of step " + std::to_string(state.step));
  }
  removeOld(folder, name, options.keep);
  return path;
}

Result<std::optional<Step>> newest(const fs::path& folder, std::vector<std::string>& warnings) {
  std::optional<Error> unsupported;
  for (const Name& name : listNames(folder)) {
    const auto manifest = verify(folder, name);
    if (manifest) return std::optional(name.step);
    const Error& error = manifest.error();
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
