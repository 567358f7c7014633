#include "job/progress/job_end.h"

#include <nlohmann/json.hpp>

#include "base/core/text.h"
#include "job/progress/json_fields.h"

namespace sumac {
namespace {

using nlohmann::ordered_json;

namespace names = internal::names;

constexpr std::size_t kMostOfMessage = 4096;

void putAll(ordered_json& object, const JobEnd& end) {
  object["schemaVersion"] = 1;
  object["state"] = toString(end.state());
  if (!end.job.empty()) object["job"] = end.job;
  object[names::kStep] = end.step;
  object["exitCode"] = toInt(end.code);
  object["message"] = wholeCharacters(end.message, kMostOfMessage);
  if (end.ended) object["endTime"] = toRfc3339(*end.ended);
}

}  // namespace

JobEnd::State JobEnd::state() const {
  const bool is_stop = code == ExitCode::kStopped || code == ExitCode::kInterrupted;
  return is_stop ? State::kStopped : State::kFailed;
}

std::string_view toString(JobEnd::State state) {
  return state == JobEnd::State::kStopped ? "Stopped" : "Failed";
}

std::string toLine(const JobEnd& end) {
  ordered_json object{{names::kEvent, "end"}};
  putAll(object, end);
  return internal::dumped(object);
}

std::string toFile(const JobEnd& end) {
  ordered_json object;
  putAll(object, end);
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sumac
