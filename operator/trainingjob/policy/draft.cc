#include "operator/trainingjob/policy/draft.h"

#include <algorithm>

namespace sumac::trainingjob {

Draft::Draft(const Observed& seen, WallTime time)
    : observed(seen),
      job(*seen.job),
      before(seen.job->status),
      next(seen.job->status),
      view(seen),
      now(std::chrono::floor<std::chrono::seconds>(time)) {}

void Draft::againAfter(Duration wait) {
  const Duration least = std::chrono::seconds(1);  // times in a status are whole seconds
  wait = std::max(wait, least);
  again_after = again_after ? std::min(*again_after, wait) : wait;
}

void Draft::againAt(WallTime time) {
  // One more pass a day does no harm, and the limit keeps every time that an object can hold, such
  // as the year 9999, in the range of a Duration.
  const WallTime::duration longest = std::chrono::hours(24);
  againAfter(std::min(time - now, longest));
}

void Draft::note(const std::string& reason, const std::string& message) {
  events.push_back({.warning = false, .reason = reason, .message = message});
}

void Draft::warn(const std::string& reason, const std::string& message) {
  events.push_back({.warning = true, .reason = reason, .message = message});
}

}  // namespace sumac::trainingjob
