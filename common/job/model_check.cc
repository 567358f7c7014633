#include "common/job/model_check.h"

#include <cstdio>
#include <string>

#include "common/job/edit.h"
#include "common/job/nearest.h"
#include "common/model/parse.h"
#include "common/yaml/scalar.h"

namespace sumac::job {

namespace {

/// Takes the "line:column: " off that the model's messages begin with.
yaml::Position takePosition(std::string& message, yaml::Position otherwise) {
  yaml::Position position;
  int used = 0;
  if (std::sscanf(message.c_str(), "%d:%d: %n", &position.line, &position.column, &used) < 2 ||
      used == 0) {
    return otherwise;
  }
  message.erase(0, static_cast<std::size_t>(used));
  return position;
}

void checkZoo(const yaml::Node& name, std::string_view file, std::vector<Problem>& problems) {
  const auto spec = model::fromZoo(name.text);
  if (spec && model::resolve(*spec)) return;
  const std::string message = spec ? model::resolve(*spec).error().message : spec.error().message;
  problems.push_back({std::string(file), name.position.line, name.position.column,
                      "spec.model.name", message + suggestion(name.text, model::zooNames())});
}

}  // namespace

std::optional<model::NetworkSpec> checkModel(const yaml::Node& root, std::string_view file,
                                             std::vector<Problem>& problems) {
  if (const yaml::Node* const name = nodeAt(root, "spec.model.name")) {
    checkZoo(*name, file, problems);
    return std::nullopt;
  }
  const yaml::Node* const layers = nodeAt(root, "spec.model.layers");
  const yaml::Node* const input = nodeAt(root, "spec.model.input");
  if (layers == nullptr || input == nullptr) return std::nullopt;
  model::Shape shape;
  for (const yaml::Node& extent : input->items) {
    shape.push_back(yaml::integerOf(extent).value_or(0));
  }
  Result<model::NetworkSpec> spec = model::parseLayers(*layers, shape);
  std::string message;
  if (!spec) {
    message = spec.error().message;
  } else if (const auto network = model::resolve(*spec); !network) {
    message = network.error().message;
  } else {
    return std::move(*spec);
  }
  const yaml::Position at = takePosition(message, layers->position);
  problems.push_back({std::string(file), at.line, at.column, "spec.model.layers", message});
  return std::nullopt;
}

}  // namespace sumac::job
