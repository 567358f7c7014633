#include "engine/checkpoint/program_state.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/checkpoint/folders.h"
#include "engine/checkpoint/safetensors_head.h"

namespace sumac::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStepKey = "step";
constexpr const char* kTextKey = "program";
constexpr const char* kOthersKey = "others";

std::optional<Step> stepIn(const std::string& text) {
  Step step = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, step);
  if (error != std::errc() || last != end || step < 0) return std::nullopt;
  return step;
}

/// The names of the tensors that are no part of the model.
std::string othersText(const ProgramState& state) {
  nlohmann::json names = nlohmann::json::array();
  for (const ProgramTensor& tensor : state.tensors)
    if (!tensor.is_model) names.push_back(tensor.view.name);
  return names.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::set<std::string>> othersIn(const std::string& text) {
  const auto names = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!names.is_array()) return unusable("it does not say what its tensors are for");
  std::set<std::string> others;
  for (const auto& name : names) {
    if (!name.is_string()) return unusable("it does not say what its tensors are for");
    others.insert(name.get<std::string>());
  }
  return others;
}

/// Appends what a file has.
void append(ProgramState& state, const TensorFile& file, bool is_model) {
  for (const TensorView& view : file.tensors)
    state.tensors.push_back({view, is_model});
}

/// The bytes of a checkpoint's files, which its state refers to.
struct Files {
  Bytes model;
  Bytes others;
};

Result<ProgramState> readOne(const fs::path& folder, const Name& name, WorkCount* work) {
  const auto manifest = readManifest(folder, name);
  if (!manifest) return manifest.error();
  const fs::path path = folder / name.text();
  if (!manifest->isOfProgram())
    return damaged(path / kManifestFile, "it is of a network, not of a program");
  auto model = readVerified(path, manifest->model, work);
  if (!model) return model.error();
  auto others = readVerified(path, manifest->optimizer_file, work);
  if (!others) return others.error();
  const auto text = readVerified(path, manifest->program_file, work);
  if (!text) return text.error();
  const auto files = std::make_shared<Files>(Files{*std::move(model), *std::move(others)});
  ProgramState state;
  for (const bool is_model : {true, false}) {
    const auto file = decodeTensorFile(is_model ? files->model : files->others);
    const auto& entry = is_model ? manifest->model : manifest->optimizer_file;
    if (!file) return damaged(path / entry.name, file.error().message);
    append(state, *file, is_model);
  }
  state.step = manifest->step;
  state.text = asText(*text);
  state.owner = files;
  return state;
}

}  // namespace

std::vector<TensorView> ProgramState::views(bool is_model) const {
  std::vector<TensorView> views;
  for (const ProgramTensor& tensor : tensors)
    if (tensor.is_model == is_model) views.push_back(tensor.view);
  return views;
}

Bytes headOf(const ProgramState& state) {
  std::vector<TensorView> views;
  for (const ProgramTensor& tensor : state.tensors)
    views.push_back(tensor.view);
  return tensorFileHead(views, {{kStepKey, std::to_string(state.step)},
                                {kTextKey, state.text},
                                {kOthersKey, othersText(state)}});
}

Result<ProgramState> programStateFrom(BytesView bytes, std::size_t padding) {
  auto file = decodeTensorFile(bytes);
  for (std::size_t cut = 1; !file && cut <= padding && cut <= bytes.size(); ++cut)
    file = decodeTensorFile(bytes.first(bytes.size() - cut));
  if (!file) return file.error();
  const auto& metadata = file->metadata;
  if (metadata.size() != 3 || !metadata.contains(kStepKey) || !metadata.contains(kTextKey) ||
      !metadata.contains(kOthersKey))
    return unusable("it is no program's state");
  const auto step = stepIn(metadata.at(kStepKey));
  if (!step) return unusable("its step is no number");
  const auto others = othersIn(metadata.at(kOthersKey));
  if (!others) return others.error();
  ProgramState state;
  state.step = *step;
  state.text = metadata.at(kTextKey);
  for (TensorView& view : file->tensors) {
    const bool is_model = !others->contains(view.name);
    state.tensors.push_back({std::move(view), is_model});
  }
  return state;
}

Content contentOf(const ProgramState& state, const ProgramOrigin& of) {
  const std::map<std::string, std::string> metadata{{"format", "pt"},
                                                    {"step", std::to_string(state.step)}};
  Content content;
  content.model = encodeTensorFile(state.views(/*is_model=*/true), metadata);
  content.optimizer = encodeTensorFile(state.views(/*is_model=*/false), metadata);
  content.program = state.text;
  content.job = of.origin.plan_lines;
  Manifest& manifest = content.manifest;
  manifest.format = kProgramFormat;
  manifest.step = state.step;
  manifest.term = of.term;
  manifest.plan_hash = of.origin.plan_hash;
  manifest.numerics = of.origin.numerics;
  manifest.algorithm = of.origin.algorithm;
  manifest.workers = of.origin.workers;
  manifest.model = FileEntry::of(kModelFile, content.model);
  manifest.optimizer_file = FileEntry::of(kOptimizerFile, content.optimizer);
  manifest.program_file = FileEntry::of(kProgramFile, asBytes(content.program));
  return content;
}

Result<ProgramState> restoreProgram(const fs::path& folder, Step step, WorkCount* work,
                                    const std::string& plan_hash) {
  const auto names = namesOfStep(folder, step, plan_hash);
  if (!names) return names.error();
  Error first{ErrorCode::kNotFound,
              "there is no checkpoint of step " + std::to_string(step) + " in " + folder.string()};
  for (std::size_t i = 0; i < names->size(); ++i) {
    auto found = readOne(folder, (*names)[i], work);
    if (found) return found;
    if (i == 0) first = found.error().within("while restoring step " + std::to_string(step));
  }
  return first;
}

}  // namespace sumac::checkpoint
