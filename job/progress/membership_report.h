#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "job/progress/job_event.h"

namespace sumac {

/// The roster that a job's members follow, and how often they have changed, as its coordinator
/// tells at /progress. A value type.
struct MembershipReport {
  std::uint32_t term = 0;        // of the roster; each process of slot 0 has a higher one
  std::uint32_t generation = 0;  // of the roster, within its term
  std::int64_t changes = 0;      // since this process of slot 0 began
  int workers = 0;               // that the roster has; 0: an earlier version tells none
  std::optional<MembersChanged> last;

  bool operator==(const MembershipReport&) const = default;
};

nlohmann::ordered_json toJson(const MembershipReport& membership);

/// Fails with kInvalid, naming the field: the answer is not trusted.
Result<MembershipReport> membershipReportFromJson(const nlohmann::json& object);

}  // namespace sumac
