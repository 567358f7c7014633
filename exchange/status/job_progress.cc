#include "exchange/status/job_progress.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "job/progress/step_phases.h"

namespace sumac {
namespace {

nlohmann::ordered_json attemptOf(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = failed == std::errc() && end == text.data() + text.size();
  return is_number ? nlohmann::ordered_json(number) : nlohmann::ordered_json(text);
}

}  // namespace

HttpAnswer progressAnswer(const JobIdentity& job, const std::optional<Progress>& progress,
                          const MembershipReport& membership) {
  constexpr const char* kType = "application/json";
  if (!progress) return {503, kType, R"({"message":"no step is done yet"})"};
  nlohmann::ordered_json document{{"jobUid", job.uid}, {"attempt", attemptOf(job.attempt)}};
  document.update(toStatusJson(*progress));
  document.update(phasesJson(*progress));
  if (membership.term > 0) document["membership"] = toJson(membership);
  return {200, kType,
          document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

}  // namespace sumac
