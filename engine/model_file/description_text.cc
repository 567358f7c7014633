#include "engine/model_file/description_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/data/inputs_json.h"
#include "engine/model_file/metadata_json.h"
#include "job/model/network_text.h"

namespace sumac::worker {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
template <typename Number>
std::optional<Number> numberOf(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

/// The shortest text that reads back to the same number.
std::string exact(float number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  return {digits, end.ptr};
}

json decimals(const std::vector<float>& values) {
  json list = json::array();
  for (const float value : values)
    list.push_back(exact(value));
  return list;
}

std::optional<std::vector<float>> decimalsIn(const json& node) {
  if (!node.is_array()) return std::nullopt;
  std::vector<float> values;
  for (const json& item : node) {
    if (!item.is_string()) return std::nullopt;
    const auto value = numberOf<float>(item.get_ref<const std::string&>());
    if (!value || !std::isfinite(*value)) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::string textOf(const Metadata& metadata, const char* name) {
  const auto found = metadata.find(name);
  return found == metadata.end() ? std::string() : found->second;
}

Result<void> readClasses(const Metadata& metadata, ModelDescription& description) {
  if (description.task == ModelTask::kText) return {};
  const json classes = jsonOf(metadata, "classes");
  if (classes.is_number_unsigned() && classes.get<std::uint64_t>() <= kMaxClasses) {
    description.classes = classes.get<int>();
  } else if (auto names = namesIn(classes); names && names->size() <= kMaxClasses) {
    description.class_names = std::move(*names);
    description.classes = static_cast<int>(description.class_names.size());
  }
  if (description.classes > 0) return {};
  return wrongMetadata("classes", "must be the number of classes or a list of their names");
}

Result<void> readNormalization(const Metadata& metadata, Normalization& normalization) {
  if (!metadata.contains("normalize")) return {};
  const json both = jsonOf(metadata, "normalize");
  if (both.is_object() && both.contains("mean") && both.contains("deviation")) {
    auto mean = decimalsIn(both["mean"]);
    auto deviation = decimalsIn(both["deviation"]);
    const auto is_above_zero = [](float value) { return value > 0; };
    if (mean && deviation && !mean->empty() && mean->size() == deviation->size() &&
        std::ranges::all_of(*deviation, is_above_zero)) {
      normalization = {.mean = std::move(*mean), .deviation = std::move(*deviation)};
      return {};
    }
  }
  return wrongMetadata("normalize", "must be {mean, deviation}, lists of decimal numbers as text");
}

Result<void> readEvaluation(const Metadata& metadata, EvaluationBatches::Options& options) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const json node = jsonOf(metadata, "evaluation");
  const auto read = [&node](const char* name, std::int64_t& number) {
    if (!node.is_object() || !node.contains(name)) return false;
    if (!node[name].is_number_unsigned()) return false;
    number = node[name].get<std::int64_t>();
    return number >= 1 && number <= kMost;
  };
  if (read("samples", options.max_samples) && read("summed", options.summed_samples) &&
      read("streams", options.batch_size)) {
    return {};
  }
  return wrongMetadata("evaluation", "must be {samples, streams, summed}, numbers from 1 on");
}

Result<void> readTask(const Metadata& metadata, ModelTask& task) {
  const std::string name = textOf(metadata, "task");
  for (const ModelTask each : {ModelTask::kImages, ModelTask::kTable, ModelTask::kText}) {
    if (toString(each) != name) continue;
    task = each;
    return {};
  }
  return wrongMetadata("task", "must be images, table or text");
}

Result<void> checkFormat(const Metadata& metadata) {
  const auto format = numberOf<int>(textOf(metadata, "format"));
  if (format == kFormat) return {};
  if (!format || *format < kFormat)
    return wrongMetadata("format", "must be \"" + std::to_string(kFormat) + "\"");
  return Error{ErrorCode::kUnsupported, "it has format " + std::to_string(*format) +
                                            ", of a later version of Sumac; this one "
                                            "reads format " +
                                            std::to_string(kFormat) + ": use that version"};
}

}  // namespace

std::string_view toString(ModelTask task) {
  switch (task) {
    case ModelTask::kImages: return "images";
    case ModelTask::kTable: return "table";
    case ModelTask::kText: break;
  }
  return "text";
}

bool hasDescription(const Metadata& metadata) {
  // That of a checkpoint, and of other programs, is "pt".
  const auto format = metadata.find("format");
  return format != metadata.end() && format->second != "pt" && metadata.contains("network");
}

Metadata metadataOf(const ModelDescription& description) {
  const auto& [job, steps, numerics, spec, task, classes, class_names, normalization, pictures,
               columns, vocabulary, evaluation] = description;
  Metadata metadata{{"format", std::to_string(kFormat)},   {"model", spec.name},
                    {"network", model::networkText(spec)}, {"numerics", numerics},
                    {"steps", std::to_string(steps)},      {"task", std::string(toString(task))}};
  if (!job.empty()) metadata["job"] = job;
  if (task != ModelTask::kText)
    metadata["classes"] =
        class_names.empty() ? std::to_string(classes) : namesJson(class_names).dump();
  if (!normalization.isEmpty()) {
    metadata["normalize"] = json{{"mean", decimals(normalization.mean)},
                                 {"deviation", decimals(normalization.deviation)}}
                                .dump();
  }
  putInputs(description, metadata);
  if (!vocabulary.empty() && vocabulary.size() <= kMostWordsKept)
    metadata["vocabulary"] = namesJson(vocabulary).dump();
  metadata["evaluation"] = json{{"samples", evaluation.max_samples},
                                {"streams", evaluation.batch_size},
                                {"summed", evaluation.summed_samples}}
                               .dump();
  return metadata;
}

Result<ModelDescription> descriptionIn(const Metadata& metadata) {
  if (auto known = checkFormat(metadata); !known) return known.error();
  ModelDescription description;
  description.job = textOf(metadata, "job");
  description.numerics = textOf(metadata, "numerics");
  auto spec = model::networkFromText(textOf(metadata, "network"));
  if (!spec) return wrongMetadata("network", "is none: " + spec.error().message);
  description.spec = std::move(*spec);
  description.steps = numberOf<Step>(textOf(metadata, "steps")).value_or(0);
  if (auto read = readTask(metadata, description.task); !read) return read.error();
  if (auto read = readClasses(metadata, description); !read) return read.error();
  if (auto read = readNormalization(metadata, description.normalization); !read)
    return read.error();
  if (auto read = readInputs(metadata, description); !read) return read.error();
  if (auto read = readEvaluation(metadata, description.evaluation); !read) return read.error();
  if (description.task == ModelTask::kText)
    description.evaluation.unroll = static_cast<int>(description.spec.input.front());
  if (metadata.contains("vocabulary")) {
    auto words = namesIn(jsonOf(metadata, "vocabulary"));
    if (!words || words->size() > kMostWordsKept)
      return wrongMetadata("vocabulary", "must be a list of words");
    description.vocabulary = std::move(*words);
  }
  return description;
}

}  // namespace sumac::worker
