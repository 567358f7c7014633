#include "cli/models/models.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/core/units.h"
#include "base/yaml/reader.h"
#include "cli/models/worker_memory.h"
#include "job/document/job.h"
#include "job/document/nearest.h"
#include "job/document/network_of.h"
#include "job/model/network.h"

namespace sumac::cli {
namespace {

/// A network of the zoo and what it is for.
struct ListedModel {
  model::Network network;
  std::string_view purpose;
};

constexpr const char* kMacs =
    "MACS: multiply-accumulates of one sample's forward pass, all time steps of a text; training "
    "takes about three times as many.";

/// "1x28x28", of text "20 words".
std::string shortInput(const model::Network& network) {
  return model::toString(network.input) + (network.isText() ? " words" : "");
}

/// The same with the vocabulary: "20 of 10,000 words".
std::string inputOf(const model::Network& network) {
  if (!network.isText()) return model::toString(network.input);
  return model::toString(network.input) + " of " + countText(network.vocabulary()) + " words";
}

std::int64_t parametersOf(const model::Layer& layer, const model::Network& network) {
  std::int64_t parameters = 0;
  for (const int tensor : layer.tensors)
    parameters += network.tensors.at(static_cast<std::size_t>(tensor)).count();
  return parameters;
}

/// No 0, so that the figures stand out.
std::string figure(std::int64_t number) {
  return number == 0 ? "" : countText(number);
}

/// One line a network.
std::string listTable(const std::vector<ListedModel>& models, const report::TextStyle& style) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [network, purpose] : models) {
    rows.push_back({network.name, shortInput(network), countText(network.parameters),
                    countText(network.forward_macs), std::string(purpose)});
  }
  return report::tableText({"NAME", "INPUT", "PARAMETERS", "MACS", "FOR"}, rows, style) + "\n" +
         report::wrapped(kMacs, style.columns) + "\nsumac models show NAME: a network's layers\n";
}

/// One line a layer, and the sums.
std::string layerTable(const model::Network& network, const report::TextStyle& style) {
  std::vector<std::vector<std::string>> rows;
  for (const model::Layer& layer : network.layers) {
    rows.push_back({layer.spec.name, std::string(model::kindName(layer.spec.kind)),
                    model::toString(layer.output), figure(parametersOf(layer, network)),
                    figure(layer.macs)});
  }
  rows.push_back({"total", "", "", countText(network.parameters), countText(network.forward_macs)});
  std::string text =
      network.name + ", input " + inputOf(network) + "\n\n" +
      report::tableText({"LAYER", "TYPE", "OUTPUT", "PARAMETERS", "MACS"}, rows, style);
  if (network.recurrent > 0) {
    text += "\nA stream of text keeps " + countText(network.recurrent) +
            " values of state from step to step.\n";
  }
  if (network.statistics > 0) {
    text += "\nA part of the mini-batch has " + countText(network.statistics) +
            " values of running statistics.\n";
  }
  return text + "\n" + report::wrapped(kMacs, style.columns) + "\n";
}

using Json = nlohmann::ordered_json;

constexpr int kIndent = 2;

Json headOf(const model::Network& network) {
  Json json = {{"name", network.name}, {"input", network.input}, {"classes", network.classes}};
  if (network.isText()) json["vocabulary"] = network.vocabulary();
  json["parameters"] = network.parameters;
  json["forwardMacs"] = network.forward_macs;
  json["recurrentState"] = network.recurrent;
  json["runningStatistics"] = network.statistics;
  return json;
}

Json tensorsOf(const model::Layer& layer, const model::Network& network) {
  Json tensors = Json::array();
  for (const int index : layer.tensors) {
    const model::Tensor& tensor = network.tensors.at(static_cast<std::size_t>(index));
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}, {"offset", tensor.offset}});
  }
  return tensors;
}

/// The same as the tables, as JSON: figures are numbers, shapes are lists.
std::string listJson(const std::vector<ListedModel>& models) {
  Json list = Json::array();
  for (const auto& [network, purpose] : models) {
    Json json = headOf(network);
    json["for"] = purpose;
    list.push_back(std::move(json));
  }
  return list.dump(kIndent) + "\n";
}

/// `memory` is included if it is known.
std::string layerJson(const model::Network& network, const std::optional<WorkerMemory>& memory) {
  Json json = headOf(network);
  if (memory) {
    json["workerMemory"] = {
        {"bytes", memory->bytes}, {"samples", memory->samples}, {"kernels", memory->kernels}};
  }
  json["layers"] = Json::array();
  for (const model::Layer& layer : network.layers) {
    json["layers"].push_back({{"name", layer.spec.name},
                              {"type", model::kindName(layer.spec.kind)},
                              {"from", layer.from},
                              {"input", layer.input},
                              {"output", layer.output},
                              {"macs", layer.macs},
                              {"tensors", tensorsOf(layer, network)}});
  }
  return json.dump(kIndent) + "\n";
}

/// A network, or why there is none.
struct Found {
  std::optional<model::Network> network;
  ExitCode code = ExitCode::kDone;
  std::string message;
  std::string resolved;  // the document, as JSON; empty for the zoo
};

Found nothing(ExitCode code, std::string message) {
  return {std::nullopt, code, std::move(message), {}};
}

Found checked(Result<model::Network> network, const ModelsOptions& options) {
  if (!network) return nothing(ExitCode::kUsage, network.error().message);
  if (!network->isText() && (options.vocabulary > 0 || options.unroll > 0)) {
    return nothing(ExitCode::kUsage, "--vocabulary and --unroll are for text networks, which " +
                                         network->name + " is not");
  }
  return {std::move(*network), ExitCode::kDone, {}, {}};
}

Found ofDocument(const ModelsOptions& options) {
  const auto text = readTextFile(options.model, yaml::kMaxBytes);
  if (!text) return nothing(ExitCode::kUsage, text.error().message);
  job::Reading reading = job::readJob(*text, options.model, {}, false);
  if (!reading.job) {
    std::string problems = job::problemList(reading.problems);
    problems.pop_back();
    return nothing(ExitCode::kBadConfiguration, std::move(problems));
  }
  job::TrainingJob& job = *reading.job;
  if (options.vocabulary > 0) job.model.vocabulary = options.vocabulary;
  if (options.unroll > 0) job.training.unroll = options.unroll;
  const int vocabulary = job.data.generated ? job.data.generated->vocabulary : 0;
  auto network = job::networkOf(job, vocabulary);
  if (!network) {
    return nothing(ExitCode::kUsage, options.model + ": " + network.error().message +
                                         (job.program ? "" : "; set it with --vocabulary"));
  }
  Found found = checked(std::move(network), options);
  found.resolved = reading.resolved.text();
  return found;
}

/// What a worker needs: for a document's batches, of the zoo for 64 samples at once.
std::optional<WorkerMemory> memoryOf(const Found& found, const ModelsOptions& options) {
  if (!options.ask_memory) return std::nullopt;
  std::vector<std::string> arguments;
  if (found.resolved.empty()) arguments = {"--model", options.model};
  if (options.vocabulary > 0) {
    arguments.insert(arguments.end(), {"--vocabulary", std::to_string(options.vocabulary)});
  }
  if (options.unroll > 0) {
    arguments.insert(arguments.end(), {"--unroll", std::to_string(options.unroll)});
  }
  auto memory = options.ask_memory(std::move(arguments), found.resolved);
  return memory ? std::optional(std::move(*memory)) : std::nullopt;
}

Found find(const ModelsOptions& options) {
  const auto spec = model::fromZoo(options.model);
  if (spec) {
    return checked(
        model::resolve(*spec, {.vocabulary = options.vocabulary, .unroll = options.unroll}),
        options);
  }
  std::error_code ignored;
  if (std::filesystem::exists(options.model, ignored)) return ofDocument(options);
  return nothing(ExitCode::kUsage, spec.error().message + ", and there is no file of this name" +
                                       job::suggestion(options.model, model::zooNames()));
}

}  // namespace

int models(const ModelsOptions& options, std::ostream& out, std::ostream& err) {
  std::vector<ListedModel> list;
  for (const std::string& name : model::zooNames()) {
    const auto spec = model::fromZoo(name);
    auto network =
        model::resolve(*spec, {.vocabulary = options.vocabulary, .unroll = options.unroll});
    if (!network) return toInt(complain(err, network.error(), ExitCode::kUsage));
    list.push_back({std::move(*network), model::zooPurpose(name)});
  }
  out << (options.json ? listJson(list) : listTable(list, options.style));
  return toInt(ExitCode::kDone);
}

bool isTrainedModel(const std::string& name) {
  const auto is_folder = isFolder(name);
  return name.ends_with(".safetensors") || (is_folder && *is_folder);
}

int showModel(const ModelsOptions& options, std::ostream& out, std::ostream& err) {
  const Found found = find(options);
  if (!found.network) return toInt(complain(err, found.message, found.code));
  const auto memory = memoryOf(found, options);
  if (options.json) {
    out << layerJson(*found.network, memory);
  } else {
    out << layerTable(*found.network, options.style);
    if (memory) out << memoryLine(*memory) << ".\n";
  }
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
