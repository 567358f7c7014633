#include "worker/commands/model_command.h"

#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "base/core/sha256.h"
#include "base/core/units.h"
#include "job/model/network_text.h"
#include "worker/commands/command_line.h"
#include "worker/use/find_model.h"

namespace sumac::worker {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

Json jsonOf(const CsvColumns& columns) {
  Json list = Json::array();
  for (const CsvColumn& column : columns.columns) {
    list.push_back({{"name", column.name}});
    if (column.kind == CsvKind::kCategorical) list.back()["categories"] = column.categories;
  }
  return {{"label", columns.label}, {"columns", std::move(list)}};
}

/// What is done to a picture's file; empty: nothing.
std::string picturesText(const DecodeOptions& pictures) {
  std::string text;
  if (const auto& resize = pictures.resize) {
    text =
        "scaled and cut to " + std::to_string(resize->height) + "x" + std::to_string(resize->width);
  }
  if (pictures.channels > 0) {
    text += (text.empty() ? "" : ", ");
    text += pictures.channels == 1 ? "made gray" : "made colored";
  }
  return text;
}

/// "age, fare, sex (2 values)"
std::string columnsText(const CsvColumns& columns) {
  std::string text;
  for (const CsvColumn& column : columns.columns) {
    text += (text.empty() ? "" : ", ") + column.name;
    if (column.kind == CsvKind::kCategorical)
      text += " (" + counted(std::ssize(column.categories), "value") + ")";
  }
  return text;
}

Json jsonOf(const ModelFile& model) {
  Json json{{"network", Json::parse(model::networkText(model.spec))},
            {"task", toString(model.task)},
            {"parameters", model.network.parameters},
            {"parametersSha256", sha256Hex(std::as_bytes(std::span(model.weights)))}};
  if (model.task != ModelTask::kText) {
    json["classes"] = model.classes;
    json["classNames"] = model.class_names;
  }
  if (!model.normalization.isEmpty()) {
    json["normalize"] = {{"mean", model.normalization.mean},
                         {"deviation", model.normalization.deviation}};
  }
  if (model.pictures.channels > 0) json["channels"] = model.pictures.channels;
  if (const auto& resize = model.pictures.resize) json["resize"] = {resize->height, resize->width};
  if (!model.columns.columns.empty()) json["columns"] = jsonOf(model.columns);
  if (model.network.isText()) json["words"] = model.network.vocabulary();
  json["job"] = model.job;
  json["steps"] = model.steps;
  json["numerics"] = model.numerics;
  return json;
}

/// A line a fact.
std::string textOf(const ModelFile& model) {
  std::string text =
      "network      " + model.spec.name + ", input " + model::toString(model.network.input) + "\n";
  const auto add = [&text](std::string name, const std::string& value) {
    constexpr std::size_t kWidth = 13;
    name.resize(kWidth, ' ');
    if (!value.empty()) text += name + value + "\n";
  };
  add("task", std::string(toString(model.task)));
  if (model.network.isText()) add("words", std::to_string(model.network.vocabulary()));
  if (!model.network.isText()) {
    const std::string names = joined(model.class_names);
    add("classes", std::to_string(model.classes) + (names.empty() ? "" : ": " + names));
  }
  const Normalization& normalization = model.normalization;
  if (!normalization.isEmpty()) {
    add("normalize", "by mean and deviation of " + std::to_string(normalization.mean.size()) +
                         (normalization.mean.size() == 1 ? " channel" : " channels"));
  }
  add("pictures", picturesText(model.pictures));
  add("columns", columnsText(model.columns));
  add("label", model.columns.columns.empty() ? std::string() : model.columns.label);
  add("parameters", std::to_string(model.network.parameters));
  add("sha256", sha256Hex(std::as_bytes(std::span(model.weights))));
  add("job", model.job);
  if (model.steps > 0) add("steps", std::to_string(model.steps));
  add("numerics", model.numerics);
  text += "\n";
  for (const model::Layer& layer : model.network.layers) {
    text += layer.spec.name + "   " + std::string(model::kindName(layer.spec.kind)) + "   " +
            model::toString(layer.output) + "\n";
  }
  return text;
}

Result<void> show(const ModelOptions& options, std::ostream& out) {
  const auto named = findModel(options.model, options.job_file, {});
  if (!named) return named.error();
  const auto model = readFound(*named, options.data_folder);
  if (!model) return model.error();
  out << (options.json ? jsonOf(*model).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                       : textOf(*model));
  return {};
}

}  // namespace

ExitCode modelCommand(int argc, char** argv, std::ostream& out, std::ostream& err) {
  CLI::App app("Show what a model's file says of itself", "sumac models show");
  return runModelCommand<ModelOptions>(
      app, argc, argv, out, err,
      [&out](const ModelOptions& options) { return show(options, out); });
}

}  // namespace sumac::worker
