#include "exchange/coordinator/change_report.h"

#include <algorithm>
#include <utility>

#include "base/core/units.h"

namespace sumac {

void ChangeReport::addCause(const std::string& what) {
  change_.cause += (change_.cause.empty() ? "" : ", ") + what;
}

void ChangeReport::issue(const Roster& roster, std::optional<Step> before) {
  change_.term = roster.order.term;
  change_.generation = roster.order.generation;
  change_.step = roster.start_step;
  change_.workers = roster.workers();
  change_.servers = roster.servers();
  change_.redone += std::exchange(drops_step_, false) ? 1 : 0;
  if (before) change_.redone += std::max<Step>(0, *before - roster.start_step);
  is_issued_ = true;
}

std::optional<MembersChanged> ChangeReport::finish(TimePoint now) {
  if (!std::exchange(is_issued_, false)) return std::nullopt;
  if (paused_) change_.pause_seconds = secondsBetween(*paused_, now);
  paused_.reset();
  return std::exchange(change_, {});
}

}  // namespace sumac
