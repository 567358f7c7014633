#include "job/progress/job_event.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

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
constexpr const char* kNoVolume = "noCheckpointVolume";
constexpr const char* kMessage = "message";
constexpr const char* kChange = "change";
constexpr const char* kCause = "cause";
constexpr const char* kRedone = "redone";
constexpr const char* kBytes = "bytes";
constexpr const char* kPause = "pauseSeconds";
constexpr const char* kStartStep = "startStep";
constexpr const char* kMembers = "members";
constexpr std::size_t kMostText = 1024;
constexpr std::size_t kMostMembers = 10'000;

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

/// One of the numbers of members or of a roster's order.
Result<std::int64_t> countIn(const json& line, const char* name) {
  auto count = internal::wholeIn(line, name);
  if (count && (!line.contains(name) || *count > std::numeric_limits<std::int32_t>::max()))
    return unusable(std::string(name) + " is not there, or too large");
  return count;
}

/// Earlier versions did not say which roster it is.
Result<JobEvent> rosterIn(const json& line) {
  RosterBegan roster;
  const auto orderIn = [&](const char* name) {
    const auto order = countIn(line, name);
    return order ? static_cast<std::uint32_t>(*order) : 0;
  };
  roster.term = orderIn(names::kTerm);
  roster.generation = orderIn(names::kGeneration);
  const auto start = internal::wholeIn(line, kStartStep);
  if (!start) return unusable(start.error().message);
  roster.start_step = *start;
  const json members = line.value(kMembers, json::object());
  if (!members.is_object()) return unusable("members are no object");
  for (const Role role : {Role::kServer, Role::kWorker}) {
    const json indices = members.value(std::string(toString(role)), json::array());
    if (!indices.is_array() || indices.size() > kMostMembers)
      return unusable("members are no list");
    for (const json& index : indices) {
      if (!index.is_number_unsigned() || index > kLargestIndex)
        return unusable("an index that no member has");
      roster.members.insert({role, index.get<int>()});
    }
  }
  return JobEvent(std::move(roster));
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

Result<JobEvent> skippedIn(const json& line, Step step, bool has_no_volume) {
  const auto message = line.find(kMessage);
  if (message == line.end() || !message->is_string()) return unusable("no message");
  const auto& text = message->get_ref<const std::string&>();
  return JobEvent(
      CheckpointSkipped{step, std::string(wholeCharacters(text, kMostText)), has_no_volume});
}

Result<JobEvent> changeIn(const json& line, Step step) {
  MembersChanged change;
  change.step = step;
  std::array<std::int64_t, 4> counts{};
  constexpr std::array kNames = {names::kTerm, names::kGeneration, names::kWorkers,
                                 names::kServers};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = countIn(line, kNames.at(i));
    if (!count) return count.error();
    counts.at(i) = *count;
  }
  change.term = static_cast<std::uint32_t>(counts[0]);
  change.generation = static_cast<std::uint32_t>(counts[1]);
  change.workers = static_cast<int>(counts[2]);
  change.servers = static_cast<int>(counts[3]);
  const auto cause = line.find(kCause);
  if (cause != line.end() && cause->is_string())
    change.cause = wholeCharacters(cause->get_ref<const std::string&>(), kMostText);
  const auto redone = internal::wholeIn(line, kRedone);
  const auto bytes = internal::wholeIn(line, kBytes);
  if (!redone || !bytes) return unusable("redone or bytes is no number");
  change.redone = *redone;
  change.bytes = static_cast<std::uint64_t>(*bytes);
  change.pause_seconds = std::max(0.0, internal::decimalIn(line, kPause).value_or(0));
  return JobEvent(std::move(change));
}

Result<JobEvent> eventIn(const json& line, const std::string& kind) {
  if (kind == "result") return JobEvent(Finished{});
  if (kind == "roster") return rosterIn(line);
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
  if (kind == kSkipped || kind == kNoVolume) return skippedIn(line, *step, kind == kNoVolume);
  if (kind == kChange) return changeIn(line, *step);
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
  return internal::dumped(
      ordered_json{{names::kEvent, skipped.has_no_volume ? kNoVolume : kSkipped},
                   {names::kStep, skipped.step},
                   {kMessage, wholeCharacters(skipped.message, kMostText)}});
}

std::string toLine(const MemberDispensable& dispensable) {
  const auto [role, index] = dispensable.member;
  return internal::dumped(
      ordered_json{{names::kEvent, "dispensable"}, {kRole, toString(role)}, {kIndex, index}});
}

std::string toLine(const MembersChanged& change) {
  ordered_json line{{names::kEvent, kChange},
                    {names::kTerm, change.term},
                    {names::kGeneration, change.generation},
                    {names::kStep, change.step},
                    {names::kWorkers, change.workers},
                    {names::kServers, change.servers},
                    {kCause, wholeCharacters(change.cause, kMostText)},
                    {kRedone, change.redone},
                    {kBytes, change.bytes}};
  internal::putNumber(line, kPause, change.pause_seconds);
  return internal::dumped(line);
}

Step stepOf(const JobEvent& event) {
  if (const auto* interim = std::get_if<Interim>(&event)) return interim->progress.step;
  return std::visit(
      [](const auto& one) -> Step {
        if constexpr (requires { one.step; }) return one.step;
        return 0;
      },
      event);
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
