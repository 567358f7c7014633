#include "cli/cluster/describe_spec.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/cluster/failure_text.h"
#include "planner/report/size_words.h"

namespace sumac::cli {
namespace {

using Json = nlohmann::json;

/// The scalar at "training/optimizer/name" as text; empty where there is none.
std::string at(const Json& spec, const std::string& path) {
  const Json::json_pointer pointer("/" + path);
  if (!spec.is_object() || !spec.contains(pointer)) return {};
  const Json& value = spec.at(pointer);
  if (value.is_structured() || value.is_null()) return {};
  return oneLine(value.is_string() ? value.get<std::string>() : value.dump());
}

/// "before VALUE after" where there is a value.
std::string phrase(const std::string& before, const std::string& value,
                   const std::string& after = {}) {
  return value.empty() ? std::string() : before + value + after;
}

std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string either(const std::string& first, const std::string& second) {
  return first.empty() ? second : first;
}

/// "program python train.py", which takes the place of a network.
std::string programOf(const Json& spec) {
  const Json::json_pointer command("/program/command");
  if (!spec.contains(command) || !spec.at(command).is_array()) return {};
  std::string text = "program";
  for (const Json& word : spec.at(command))
    text += " " + oneLine(word.is_string() ? word.get<std::string>() : word.dump());
  return text;
}

std::string modelOf(const Json& spec) {
  const Json::json_pointer layers("/model/layers");
  if (spec.contains(layers) && spec.at(layers).is_array()) {
    return std::to_string(spec.at(layers).size()) + " layers of its own";
  }
  return at(spec, "model/name");
}

std::string workersOf(const Json& spec) {
  const std::string least = at(spec, "worker/minReplicas");
  const std::string most = at(spec, "worker/maxReplicas");
  const std::string policy = at(spec, "autoscaling/policy");
  if (!policy.empty()) return "autoscaled " + least + " to " + most + ", policy " + policy;
  return at(spec, "worker/replicas") +
         (least.empty() ? " (fixed)" : " (elastic, " + least + " to " + most + ")");
}

/// Which sizes are as fast as others; empty where none is.
std::string sizesOf(const Json& spec) {
  const auto number = [&spec](const char* path, int otherwise) {
    const Json::json_pointer pointer(path);
    return spec.contains(pointer) && spec.at(pointer).is_number_integer()
               ? spec.at(pointer).get<int>()
               : otherwise;
  };
  const int workers = number("/worker/replicas", 0);
  const int least = number("/worker/minReplicas", workers);
  const int most = std::max(least, number("/worker/maxReplicas", workers));
  // A job that sizes itself does not use worker.replicas, which may be anything.
  return planner::sizesText({.parts = number("/training/logicalWorkers", most),
                             .workers = std::clamp(workers, least, most),
                             .least = least,
                             .most = most});
}

/// Where the gradients are summed, if not by the workers.
std::string serversOf(const Json& spec) {
  const bool workers_sum = at(spec, "strategy/exchange") == "allReduce" ||
                           at(spec, "strategy/topology") == "decentralized";
  return workers_sum ? "none: the workers sum the gradients" : at(spec, "server/replicas");
}

/// "sgd 0.1": sgd is the default.
std::string optimizerOf(const Json& spec) {
  const std::string name = at(spec, "training/optimizer/name");
  const std::string rate = at(spec, "training/optimizer/learningRate");
  return rate.empty() ? name : either(name, "sgd") + " " + rate;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> specLines(const Json& spec) {
  if (!spec.is_object()) return {};
  return {
      {"Model", either(programOf(spec), modelOf(spec))},
      {"Data",
       either(at(spec, "data/name"), joined({at(spec, "data/format"), at(spec, "data/path")}))},
      {"Training", joined({phrase("batch ", at(spec, "training/batchSize")),
                           phrase("", at(spec, "training/epochs"), " epochs"),
                           phrase("", at(spec, "training/steps"), " steps"), optimizerOf(spec),
                           phrase("seed ", at(spec, "training/seed")),
                           phrase("V = ", at(spec, "training/logicalWorkers"))})},
      {"Strategy", joined({at(spec, "strategy/exchange"), at(spec, "strategy/algorithm"),
                           at(spec, "strategy/topology"), at(spec, "strategy/consistency")})},
      {"Workers", workersOf(spec)},
      {"Sizes", sizesOf(spec)},
      {"Servers", serversOf(spec)},
      {"Checkpoints", joined({at(spec, "checkpoint/path"),
                              phrase("every ", at(spec, "checkpoint/everySteps"), " steps")})},
      {"Output", at(spec, "output/path")},
      {"Transport", at(spec, "security/transport")},
  };
}

}  // namespace sumac::cli
