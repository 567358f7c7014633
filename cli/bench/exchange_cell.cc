#include "cli/bench/exchange_cell.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/process/member_flags.h"
#include "cli/bench/size_text.h"

namespace sumac::cli {
namespace {

constexpr std::int64_t kSmallest = 1'000;
constexpr std::int64_t kLargest = 1'000'000'000;
constexpr std::int64_t kValueBytes = 4;
constexpr std::int64_t kEven = 2 * kValueBytes;  // a dense layer has two outputs or more

struct Dense {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};

/// As square as can be: (inputs + 1) x outputs parameters.
Dense denseOf(std::int64_t parameters) {
  std::int64_t outputs = 2;
  for (std::int64_t i = 2; i * i <= parameters; ++i) {
    if (parameters % i == 0) outputs = i;
  }
  return {parameters / outputs - 1, outputs};
}

std::string strategyOf(ExchangeMethod method) {
  const std::string name(toString(method));
  return isAllReduce(method) ? "{exchange: allReduce, algorithm: " + name + "}"
                             : "{topology: " + name + "}";
}

}  // namespace

Result<void> checkExchangeSize(std::int64_t bytes) {
  if (bytes >= kSmallest && bytes <= kLargest && bytes % kEven == 0) return {};
  return Error{ErrorCode::kInvalid, "a size of " + sizeText(bytes) +
                                        " cannot be measured: it must be a multiple of 8 bytes "
                                        "from 1 kB to 1 GB"};
}

int defaultSteps(std::int64_t bytes) {
  constexpr std::int64_t kBudget = 400'000'000;  // bytes in about a second
  constexpr std::int64_t kMessage = 100'000;     // an exchange without bytes costs as much
  constexpr std::int64_t kFewest = 20;
  constexpr std::int64_t kMost = 2'000;
  return static_cast<int>(std::clamp(kBudget / (bytes + kMessage), kFewest, kMost));
}

std::string exchangeDocument(const ExchangeCell& cell, bool is_for_pods) {
  const Dense dense = denseOf(cell.bytes / kValueBytes);
  const std::string inputs = std::to_string(dense.inputs);
  const std::string workers = std::to_string(cell.workers);
  // The workers take the first fifth of their steps to warm up, and the last one to check.
  const int counted = cell.steps + 1;
  const std::string steps = std::to_string(counted + (counted + 3) / 4);
  std::string text = "apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\n";
  text += "metadata: {name: bench-exchange}\nspec:\n";
  text += "  model:\n    input: [" + inputs + "]\n    layers:\n";
  text += "    - {type: dense, outputs: " + std::to_string(dense.outputs) + "}\n";
  text += "    - {type: softmaxCrossEntropy}\n";
  text += "  data:\n    format: generated\n    generated: {shape: [" + inputs +
          "], classes: 2, trainSamples: " + workers + ", testSamples: 1}\n";
  text += "  training:\n    batchSize: " + workers + "\n    logicalWorkers: " + workers +
          "\n    steps: " + steps +
          "\n    threads: 1\n    optimizer: {name: sgd, learningRate: \"0.1\"}\n";
  text += "  strategy: " + strategyOf(cell.method) + "\n";
  text += "  worker:\n    replicas: " + workers + "\n";
  if (is_for_pods) {
    text += std::string("    template: {spec: {containers: [{name: sumac, env: [{name: ") +
            member_flags::kExchangeOnlyVariable + ", value: \"true\"}]}]}}\n";
  }
  if (cell.serversStarted() > 0)
    text += "  server: {replicas: " + std::to_string(cell.servers) + "}\n";
  text += std::string("  security: {transport: ") + (cell.is_encrypted ? "curve" : "none") + "}\n";
  return text;
}

Result<ExchangeFigures> exchangeFigures(const std::string& json) {
  const auto read = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  const auto number = [&read](const char* key) -> double {
    const auto found = read.is_object() ? read.find(key) : read.end();
    return found != read.end() && found->is_number() ? found->get<double>() : -1;
  };
  ExchangeFigures figures{number("p50"), number("least"), number("most"),
                          static_cast<std::int64_t>(number("sentBytesPerStep")),
                          static_cast<std::int64_t>(number("receivedBytesPerStep"))};
  if (figures.p50 > 0 && figures.least > 0 && figures.most > 0 && figures.sent_bytes >= 0 &&
      figures.received_bytes >= 0)
    return figures;
  return Error{ErrorCode::kInvalid,
               "worker 0 ended without figures; are sumac and sumac-worker of one version?"};
}

}  // namespace sumac::cli
