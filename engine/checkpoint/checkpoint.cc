#include "engine/checkpoint/checkpoint.h"

#include <algorithm>
#include <utility>

#include "base/core/file.h"
#include "engine/checkpoint/content.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/folders.h"
#include "engine/checkpoint/safetensors.h"

namespace sumac::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostPlanLines = 1'000'000;

/// The values of one file, with the tensors of `network`.
Result<std::vector<float>> readValues(const fs::path& path, const FileEntry& entry,
                                      const model::Network& network, WorkCount* work) {
  const auto file = readVerified(path, entry, work);
  if (!file) return file.error();
  auto decoded = decodeSafetensors(network, *file);
  if (!decoded) return damaged(path / entry.name, decoded.error().message);
  return std::move(decoded->values);
}

Result<State> read(const fs::path& folder, const model::Network& network, const Name& name,
                   WorkCount* work) {
  const auto manifest = readManifest(folder, name);
  if (!manifest) return manifest.error();
  const fs::path path = folder / name.text();
  if (manifest->isOfProgram())
    return damaged(path / kManifestFile, "it is of a program, not of a network");
  const bool in_plan_order = manifest->isInPlanOrder();
  const model::Network tensors = in_plan_order ? network : fileTensors(network);
  const auto plan = [&](std::vector<float> values) {
    return in_plan_order ? std::move(values) : fromFile(network, values);
  };
  auto weights = readValues(path, manifest->model, tensors, work);
  if (!weights) return weights.error();
  const auto stacked = readValues(path, manifest->optimizer_file,
                                  optimizerNetwork(tensors, manifest->optimizer), work);
  if (!stacked) return stacked.error();

  State state;
  state.step = manifest->step;
  state.term = manifest->term;
  state.plan_hash = manifest->plan_hash;
  state.numerics = manifest->numerics;
  state.algorithm = manifest->algorithm;
  state.workers = manifest->workers;
  state.weights = plan(*std::move(weights));
  auto next = stacked->begin();
  for (const std::string& vector : manifest->optimizer) {
    state.optimizer[vector] = plan({next, next + tensors.parameters});
    next += tensors.parameters;
  }
  if (manifest->hasState()) {
    const auto both = readValues(path, manifest->state_file,
                                 stateNetwork(manifest->recurrent, manifest->statistics), work);
    if (!both) return both.error();
    const auto cut = both->begin() + manifest->recurrent;
    state.recurrent.assign(both->begin(), cut);
    state.statistics.assign(cut, both->end());
  }
  return state;
}

/// What `read_one` makes of the first of namesOfStep() that it can read; else why it could not read
/// the first.
template <typename ReadOne>
auto firstOfStep(const fs::path& folder, Step step, const std::string& plan_hash,
                 const ReadOne& read_one) -> decltype(read_one(Name{})) {
  const auto names = namesOfStep(folder, step, plan_hash);
  if (!names) return names.error();
  Error last{ErrorCode::kNotFound,
             "there is no checkpoint of step " + std::to_string(step) + " in " + folder.string()};
  bool first = true;
  for (const Name& name : *names) {
    auto found = read_one(name);
    if (found) return found;
    if (first) last = found.error().within("while restoring step " + std::to_string(step));
    first = false;
  }
  return last;
}

}  // namespace

Result<std::optional<Step>> newest(const fs::path& folder, std::vector<std::string>& warnings,
                                   const std::string& plan_hash, Reads reads) {
  const auto names = listNames(folder);
  if (!names) return names.error();
  std::optional<Error> unsupported;
  std::optional<Step> of_another;
  for (const Name& name : *names) {
    const auto manifest =
        reads == Reads::kFiles ? verify(folder, name) : readManifest(folder, name);
    if (manifest && (plan_hash.empty() || manifest->plan_hash == plan_hash))
      return std::optional(name.step);
    if (manifest) {
      warnings.push_back("checkpoint " + (folder / name.text()).string() +
                         " is of another job; skipped, looking for one of this job");
      if (!of_another) of_another = name.step;
      continue;
    }
    const Error& error = manifest.error();
    if (isUnread(error)) {
      return Error{error.code,
                   error.message + "; try again, or remove its folder to resume from an older one"};
    }
    if (error.code == ErrorCode::kUnsupported && !unsupported) unsupported = error;
    warnings.push_back(error.message + "; skipped, looking for an older checkpoint");
  }
  if (of_another || !unsupported) return of_another;
  return Error{ErrorCode::kUnsupported,
               unsupported->message +
                   ", and there is no other checkpoint to resume from; resume with the version of "
                   "sumac that wrote it, or choose another folder to start from step 0"};
}

std::optional<Step> newerThan(const fs::path& folder, Step step, const std::string& plan_hash,
                              const std::string& numerics) {
  const auto names = listNames(folder);
  if (!names) return std::nullopt;
  for (const Name& name : *names) {
    if (name.step <= step) continue;
    const auto told = readManifest(folder, name);
    const bool is_ours = told && told->plan_hash == plan_hash && told->numerics == numerics;
    if (is_ours && verify(folder, name)) return name.step;
  }
  return std::nullopt;
}

Result<Origin> originOf(const fs::path& folder, Step step, const std::string& plan_hash) {
  return firstOfStep(folder, step, plan_hash, [&](const Name& name) -> Result<Origin> {
    auto manifest = readManifest(folder, name);
    if (!manifest) return manifest.error();
    auto lines = readTextFile(folder / name.text() / kJobFile, kMostPlanLines);
    return Origin{std::move(manifest->plan_hash), std::move(manifest->numerics),
                  std::move(manifest->algorithm), manifest->workers,
                  lines ? *std::move(lines) : std::string()};
  });
}

Result<State> restore(const fs::path& folder, const model::Network& network, Step step,
                      WorkCount* work, const std::string& plan_hash) {
  return firstOfStep(folder, step, plan_hash,
                     [&](const Name& name) { return read(folder, network, name, work); });
}

}  // namespace sumac::checkpoint
