#include "experiment/document/kind.h"

#include <string>

#include "base/yaml/reader.h"

namespace sumac::experiment {
namespace {

constexpr std::string_view kJob = "TrainingJob";

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
  return document.kind == yaml::Kind::kMap && (kind == nullptr || kind->text == kJob);
}

std::optional<job::Problem> jobInstead(std::string_view text, std::string_view file) {
  const yaml::Document document = yaml::parse(text);
  const yaml::Node* const kind = document.root ? kindOf(*document.root) : nullptr;
  if (kind == nullptr || kind->text != kJob) return std::nullopt;
  return job::Problem{std::string(file), kind->position.line, kind->position.column, "kind",
                      "found TrainingJob, must be Experiment; sumac run runs a TrainingJob"};
}

}  // namespace sumac::experiment
