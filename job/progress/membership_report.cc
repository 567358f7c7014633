#include "job/progress/membership_report.h"

#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "job/progress/json_fields.h"

namespace sumac {
namespace {

constexpr const char* kChanges = "changes";
constexpr const char* kLast = "last";

}  // namespace

namespace names = internal::names;

nlohmann::ordered_json toJson(const MembershipReport& membership) {
  nlohmann::ordered_json object{{names::kTerm, membership.term},
                                {names::kGeneration, membership.generation},
                                {kChanges, membership.changes},
                                {names::kWorkers, membership.workers}};
  if (membership.last) object[kLast] = nlohmann::ordered_json::parse(toLine(*membership.last));
  return object;
}

Result<MembershipReport> membershipReportFromJson(const nlohmann::json& object) {
  if (!object.is_object()) return Error{ErrorCode::kInvalid, "membership is not a JSON object"};
  const auto term = internal::wholeIn(object, names::kTerm);
  const auto generation = internal::wholeIn(object, names::kGeneration);
  const auto changes = internal::wholeIn(object, kChanges);
  const auto workers = internal::wholeIn(object, names::kWorkers);
  for (const auto* number : {&term, &generation, &changes, &workers}) {
    if (!*number) return number->error();
    if (**number > std::numeric_limits<std::int32_t>::max())
      return Error{ErrorCode::kInvalid, "a number of membership is too large"};
  }
  MembershipReport membership{.term = static_cast<std::uint32_t>(*term),
                              .generation = static_cast<std::uint32_t>(*generation),
                              .changes = *changes,
                              .workers = static_cast<int>(*workers),
                              .last = {}};
  const auto last = object.find(kLast);
  if (last == object.end()) return membership;
  const auto event =
      jobEventFromLine(last->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (!event) return event.error();
  const auto* const change = std::get_if<MembersChanged>(&*event);
  if (change == nullptr) return Error{ErrorCode::kInvalid, "membership.last is no change"};
  membership.last = *change;
  return membership;
}

}  // namespace sumac
