#include "experiment/document/kind.h"

#include <string>

#include "base/yaml/reader.h"

namespace sumac::experiment {
namespace {

const yaml::Node* kindOf(const yaml::Node& document) {
  return document.kind == yaml::Kind::kMap ? document.find("kind") : nullptr;
}

}  // namespace

bool isExperiment(std::string_view text) {
  const yaml::Document document = yaml::parse(text);
  const yaml::Node* const kind = document.root ? kindOf(*document.root) : nullptr;
  return kind != nullptr && kind->text == "Experiment";
}

bool isJob(const yaml::Node& document) {
  const yaml::Node* const kind = kindOf(document);
  return document.kind == yaml::Kind::kMap && (kind == nullptr || kind->text == "TrainingJob");
}

}  // namespace sumac::experiment
