#include "job/progress/job_event.h"

#include <nlohmann/json.hpp>

#include "base/core/text.h"
#include "job/progress/json_fields.h"

namespace sumac {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMaxLine = 65'536;
constexpr const char* kValidLoss = "validLoss";
constexpr const char* kTestLoss = "testLoss";
constexpr const char* kRole = "role";
constexpr const char* kIndex = "index";
constexpr const char* kSkipped = "checkpointSkipped";
constexpr const char* kMessage = "message";
constexpr std::size_t kMostOfSkip = 1024;

namespace names = internal::names;

Error unusable(const std::string& why) {
  return {ErrorCode::kInvalid, "unusable line about a job: " + why};
}

/// Progress as workers write it: the operator and the coordinator count with it.
Result<Progress> progressIn(const json& line) {
  for (const char* name : {names::kStep, names::kTotalSteps, names::kEpoch}) {
    if (!line.contains(name)) return unusable(std::string("no ") + name);
  }
  auto progress = progressFromJson(line);
  if (!progress) return unusable(progress.error().message);
  if (progress->step > progress->total_steps) return unusable("step is beyond totalSteps");
  return progress;
}

Result<JobEvent> evaluationIn(const json& line, Step step) {
  Evaluated evaluation;
  evaluation.step = step;
  const auto epoch = internal::wholeIn(line, names::kEpoch);
  if (!epoch) return unusable(epoch.error().message);
  evaluation.epoch = *epoch;
  evaluation.valid_accuracy = internal::decimalIn(line, names::kValidAccuracy);
  evaluation.test_accuracy = internal::decimalIn(line, names::kTestAccuracy);
  evaluation.valid_perplexity = internal::decimalIn(line, names::kValidPerplexity);
  evaluation.test_perplexity = internal::decimalIn(line, names::kTestPerplexity);
  evaluation.valid_loss = internal::decimalIn(line, kValidLoss);
  evaluation.test_loss = internal::decimalIn(line, kTestLoss);
  return JobEvent(evaluation);
}

Result<JobEvent> dispensableIn(const json& line) {
  const auto role = line.find(kRole);
  const bool is_worker = role != line.end() && *role == toString(Role::kWorker);
  const bool is_server = role != line.end() && *role == toString(Role::kServer);
  if (!is_worker && !is_server) return unusable("no role");
  if (!line.contains(kIndex)) return unusable("no index");
  const auto index = internal::wholeIn(line, kIndex);
  if (!index) return unusable(index.error().message);
  if (*index > kLargestIndex) return unusable("an index that no member has");
  return JobEvent(
      MemberDispensable{{is_worker ? Role::kWorker : Role::kServer, static_cast<int>(*index)}});
}

Result<JobEvent> skippedIn(const json& line, Step step) {
  const auto message = line.find(kMessage);
  if (message == line.end() || !message->is_string()) return unusable("no message");
  const auto& text = message->get_ref<const std::string&>();
  return JobEvent(CheckpointSkipped{step, std::string(wholeCharacters(text, kMostOfSkip))});
}

Result<JobEvent> eventIn(const json& line, const std::string& kind) {
  if (kind == "result") return JobEvent(Finished{});
  if (kind == "roster") return JobEvent(AllJoined{});
  if (kind == "dispensable") return dispensableIn(line);
  if (kind == "progress" || kind == "interim") {
    const auto progress = progressIn(line);
    if (!progress) return progress.error();
    return kind == "interim" ? JobEvent(Interim{*progress}) : JobEvent(*progress);
  }
  if (!line.contains(names::kStep)) return unusable("no step");
  const auto step = internal::wholeIn(line, names::kStep);
  if (!step) return unusable(step.error().message);
  if (kind == "evaluation") return evaluationIn(line, *step);
  if (kind == "checkpoint") return JobEvent(CheckpointWritten{*step});
  if (kind == kSkipped) return skippedIn(line, *step);
  if (kind == "end") return JobEvent(Ended{*step});
  return unusable("an unknown kind of event");
}

}  // namespace

std::string toLine(const Evaluated& evaluation) {
  ordered_json line{{names::kEvent, "evaluation"},
                    {names::kEpoch, evaluation.epoch},
                    {names::kStep, evaluation.step}};
  internal::putNumber(line, names::kValidAccuracy, evaluation.valid_accuracy);
  internal::putNumber(line, names::kTestAccuracy, evaluation.test_accuracy);
  internal::putNumber(line, names::kValidPerplexity, evaluation.valid_perplexity);
  internal::putNumber(line, names::kTestPerplexity, evaluation.test_perplexity);
  internal::putNumber(line, kValidLoss, evaluation.valid_loss);
  internal::putNumber(line, kTestLoss, evaluation.test_loss);
  return internal::dumped(line);
}

std::string toLine(const CheckpointWritten& checkpoint) {
  return internal::dumped(
      ordered_json{{names::kEvent, "checkpoint"}, {names::kStep, checkpoint.step}});
}

std::string toLine(const CheckpointSkipped& skipped) {
  return internal::dumped(ordered_json{{names::kEvent, kSkipped},
                                       {names::kStep, skipped.step},
                                       {kMessage, wholeCharacters(skipped.message, kMostOfSkip)}});
}

std::string toLine(const MemberDispensable& dispensable) {
  const auto [role, index] = dispensable.member;
  return internal::dumped(
      ordered_json{{names::kEvent, "dispensable"}, {kRole, toString(role)}, {kIndex, index}});
}

Result<JobEvent> jobEventFromLine(std::string_view line) {
  if (line.size() > kMaxLine) return unusable("it is too long");
  const json object = json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return unusable("it is not a JSON object");
  const auto kind = object.find(names::kEvent);
  if (kind == object.end() || !kind->is_string()) return unusable("it has no event");
  return eventIn(object, kind->get_ref<const std::string&>());
}

}  // namespace sumac
