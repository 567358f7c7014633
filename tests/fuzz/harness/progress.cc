#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/process/termination_message.h"
#include "job/progress/job_end.h"
#include "job/progress/job_event.h"
#include "job/progress/job_result.h"
#include "tests/fuzz/harness/harness.h"

namespace sumac::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kMostReadOfMessage = 4096;  // docs/design/job-life.md#end

/// A line that is written reads back, and writes itself the same.
void checkLine(const std::string& line, bool is_interim) {
  const auto read = jobEventFromLine(line);
  SUMAC_CHECK(read.has_value(), read ? "" : read.error().message, line);
  const auto* progress = std::get_if<Progress>(&*read);
  if (const auto* interim = std::get_if<Interim>(&*read)) progress = &interim->progress;
  if (progress != nullptr) SUMAC_CHECK(toLine(*progress, is_interim) == line, line);
}

void checkEvent(const JobEvent& event) {
  if (const auto* progress = std::get_if<Progress>(&event)) {
    checkLine(toLine(*progress), false);
    const auto status = progressFromJson(json(toStatusJson(*progress)));
    SUMAC_CHECK(status.has_value(), status ? "" : status.error().message);
    SUMAC_CHECK(toStatusJson(*status) == toStatusJson(*progress), toLine(*progress));
  } else if (const auto* interim = std::get_if<Interim>(&event)) {
    checkLine(toLine(interim->progress, true), true);
  } else if (const auto* evaluated = std::get_if<Evaluated>(&event)) {
    const auto read = jobEventFromLine(toLine(*evaluated));
    SUMAC_CHECK(read.has_value() && std::holds_alternative<Evaluated>(*read));
    SUMAC_CHECK(toLine(std::get<Evaluated>(*read)) == toLine(*evaluated), toLine(*evaluated));
  } else if (const auto* written = std::get_if<CheckpointWritten>(&event)) {
    const auto read = jobEventFromLine(toLine(*written));
    SUMAC_CHECK(read.has_value() && std::holds_alternative<CheckpointWritten>(*read));
  } else if (const auto* skipped = std::get_if<CheckpointSkipped>(&event)) {
    const auto read = jobEventFromLine(toLine(*skipped));
    SUMAC_CHECK(read.has_value() && std::holds_alternative<CheckpointSkipped>(*read));
  } else if (const auto* change = std::get_if<MembersChanged>(&event)) {
    const auto read = jobEventFromLine(toLine(*change));
    SUMAC_CHECK(read.has_value(), read ? "" : read.error().message, toLine(*change));
    SUMAC_CHECK(toLine(std::get<MembersChanged>(*read)) == toLine(*change), toLine(*change));
  } else if (const auto* ended = std::get_if<Ended>(&event)) {
    JobEnd end;
    end.step = ended->step;
    const auto read = jobEventFromLine(toLine(end));
    SUMAC_CHECK(read.has_value() && std::holds_alternative<Ended>(*read));
  } else if (const auto* dispensable = std::get_if<MemberDispensable>(&event)) {
    const auto read = jobEventFromLine(toLine(*dispensable));
    SUMAC_CHECK(read.has_value() &&
                std::get<MemberDispensable>(*read).member == dispensable->member);
  }
}

}  // namespace

void progress(BytesView input) {
  const auto words = LastWords::parse(asText(input));
  if (words.step) SUMAC_CHECK(LastWords::parse(words.text()).step == words.step, words.text());

  const auto event = jobEventFromLine(asText(input));
  requireReason(event);
  if (event) checkEvent(*event);

  const auto result = jobResultFromMessage(std::string(asText(input)));
  requireReason(result);
  if (!result) return;
  // Fields that it lacked are written, so the longest that is read becomes too long for it.
  if (toMessage(*result).size() > kMostReadOfMessage) return;
  const auto again = jobResultFromMessage(toMessage(*result));
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message, toMessage(*result));
  SUMAC_CHECK(toMessage(*again) == toMessage(*result), toMessage(*result));
  const auto status = jobResultFromJson(json(toStatusJson(*result)));
  SUMAC_CHECK(status.has_value(), status ? "" : status.error().message);
}

}  // namespace sumac::fuzz
