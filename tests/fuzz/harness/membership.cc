#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "exchange/membership/join_request.h"
#include "exchange/membership/roster.h"
#include "tests/fuzz/harness/harness.h"

namespace sumac::fuzz {

void roster(BytesView input) {
  const auto read = rosterFromJson(asText(input));
  requireReason(read);
  if (!read) return;
  const auto count =
      static_cast<std::size_t>(read->workers()) + static_cast<std::size_t>(read->servers());
  SUMAC_CHECK(read->workers() >= 1 && count == read->members.size(), count);
  for (const RosterEntry& entry : read->members) {
    SUMAC_CHECK(*read->find(entry.member.slot) == entry, entry.member);
    const int position = read->positionOf(entry.member);
    const bool is_worker = entry.member.slot.role == Role::kWorker;
    SUMAC_CHECK(is_worker ? position >= 0 && position < read->workers() : position == -1,
                entry.member);
    SUMAC_CHECK(entry.member.slot.index >= 0 && entry.member.slot.index <= kLargestIndex,
                entry.member);
  }
  const std::string text = toJson(*read);
  const auto again = rosterFromJson(text);
  SUMAC_CHECK(again.has_value(), text);
  SUMAC_CHECK(toJson(*again) == text && again->members == read->members, text);
}

void joinRequest(BytesView input) {
  const auto read = joinRequestFromJson(asText(input));
  requireReason(read);
  if (!read) return;
  const auto again = joinRequestFromJson(toJson(*read));
  SUMAC_CHECK(again.has_value() && *again == *read, toJson(*read));
  // What the coordinator does with it first.
  SUMAC_CHECK(planDifference(read->plan_text, read->plan_text, "worker 0", true).empty());
  const std::string why = planDifference("batchSize=64\n", read->plan_text, "worker 0", true);
  const bool is_same = planDifference(read->plan_text, "batchSize=64\n", "worker 0", true).empty();
  SUMAC_CHECK(why.empty() == is_same, why);
}

}  // namespace sumac::fuzz
