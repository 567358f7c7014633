#include <algorithm>
#include <initializer_list>

#include <nlohmann/json.hpp>

#include "common/api/fields.h"
#include "common/api/json.h"

namespace sumac::api {
namespace {

using nlohmann::json;

/// A pod's containers share 12 KiB; members write at most 1,024 bytes, and kubelets cut at 4,096.
constexpr std::size_t kMaxResult = 4096;
constexpr std::size_t kMaxDecimal = 32;  // as the status' schema has it
constexpr std::size_t kMaxPath = 1024;

Error noResult(const std::string& why) {
  return {ErrorCode::kInvalid, "the termination message is no result: " + why};
}

/// A decimal, which members write as a number or as text; empty: none, or not one.
std::string decimal(const json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = object.find(name);
    if (found == object.end()) continue;
    std::string text;
    if (found->is_number()) text = found->dump();
    if (found->is_string()) text = found->get<std::string>();
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
    });
    if (is_plain && text.size() <= kMaxDecimal) return text;
  }
  return {};
}

bool isHash(const std::string& text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

Result<TrainingResult> resultFromMessage(const std::string& message) {
  if (message.size() > kMaxResult) {
    return noResult(std::to_string(message.size()) + " bytes, at most " +
                    std::to_string(kMaxResult) + " are read");
  }
  const json object = json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded() || !object.is_object()) return noResult("no JSON object");
  std::string problem;
  const internal::Fields fields(&object, "", problem);
  const auto steps = fields.integer("steps");
  const auto epochs = fields.integer("epochs");
  TrainingResult result;
  result.parameters_sha256 = fields.text("parametersSha256");
  result.model_path = fields.text("modelPath");
  const std::string state = fields.text("state");
  if (!problem.empty()) return noResult(problem);
  if (!steps) return noResult("steps: missing");
  if (!state.empty() && state != "Succeeded") return noResult("state is not Succeeded");
  if (!result.parameters_sha256.empty() && !isHash(result.parameters_sha256)) {
    return noResult("parametersSha256: must be 64 hexadecimal digits");
  }
  if (result.model_path.size() > kMaxPath) return noResult("modelPath: too long");
  result.steps = *steps;
  result.loss = decimal(object, {"loss", "trainLoss"});
  result.test_accuracy = decimal(object, {"testAccuracy"});
  result.valid_perplexity = decimal(object, {"validPerplexity"});
  result.test_perplexity = decimal(object, {"testPerplexity"});
  result.epochs = epochs.value_or(0);
  result.samples_per_second = decimal(object, {"samplesPerSecond"});
  return result;
}

}  // namespace sumac::api
