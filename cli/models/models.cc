#include "cli/models/models.h"

#include <filesystem>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/models/models_json.h"
#include "cli/models/models_table.h"
#include "common/base/exit_code.h"
#include "common/base/file.h"
#include "common/job/job.h"
#include "common/job/nearest.h"
#include "common/job/network_of.h"
#include "common/model/network.h"
#include "common/yaml/reader.h"

namespace sumac::cli {
namespace {

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
    return nothing(ExitCode::kUsage,
                   options.model + ": " + network.error().message + "; set it with --vocabulary");
  }
  Found found = checked(std::move(network), options);
  found.resolved = std::move(reading.resolved);
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
    if (!network) {
      err << "error: " << network.error().message << "\n";
      return toInt(ExitCode::kUsage);
    }
    list.push_back({std::move(*network), model::zooPurpose(name)});
  }
  out << (options.json ? listJson(list) : listTable(list));
  return toInt(ExitCode::kDone);
}

int showModel(const ModelsOptions& options, std::ostream& out, std::ostream& err) {
  const Found found = find(options);
  if (!found.network) {
    err << "error: " << found.message << "\n";
    return toInt(found.code);
  }
  const auto memory = memoryOf(found, options);
  if (options.json) {
    out << layerJson(*found.network, memory);
  } else {
    out << layerTable(*found.network);
    if (memory) out << memoryLine(*memory) << ".\n";
  }
  return toInt(ExitCode::kDone);
}

}  // namespace sumac::cli
