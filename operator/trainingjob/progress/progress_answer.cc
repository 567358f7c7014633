#include "operator/trainingjob/progress/progress_answer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/api/fields.h"

namespace sumac::trainingjob {
namespace {

using api::internal::Fields;
using nlohmann::json;

constexpr std::size_t kMaxDecimal = 32;  // as the status' schema has it
constexpr int kWhole = 100;              // percent

bool isDecimal(const std::string& text) {
  return text.size() <= kMaxDecimal && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e';
         });
}

Error useless(const std::string& why) {
  return {ErrorCode::kInvalid, "the answer of /progress cannot be used: " + why};
}

}  // namespace

Result<api::Progress> progressFromAnswer(const std::string& body, const ProgressTarget& target) {
  const json answer = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (answer.is_discarded()) return useless("it is not JSON");
  std::string problem;
  const Fields fields(&answer, "", problem);
  const std::string uid = fields.requiredText("jobUid");
  const auto attempt = fields.integer("attempt");
  api::Progress progress;
  progress.step = fields.integer("step").value_or(0);
  progress.total_steps = fields.integer("totalSteps").value_or(0);
  progress.percentage = static_cast<int>(fields.integer("percentage", 0, kWhole).value_or(0));
  progress.epoch = fields.integer("epoch").value_or(0);
  progress.loss = fields.text("loss");
  progress.samples_per_second = fields.text("samplesPerSecond");
  progress.estimated_remaining_seconds = fields.integer("estimatedRemainingSeconds");
  if (!problem.empty()) return useless(problem);
  if (uid != target.uid) return useless("it is of the job with uid " + api::internal::shown(uid));
  if (attempt != target.attempt) return useless("it is of another attempt");
  if (!isDecimal(progress.loss)) progress.loss.clear();  // not finite, say
  if (!isDecimal(progress.samples_per_second)) progress.samples_per_second.clear();
  return progress;
}

}  // namespace sumac::trainingjob
