#include "worker/session/sum_questions.h"

#include <algorithm>
#include <string>

namespace sumac::worker {

void SumQuestions::restart(const Roster& roster, const Routes& routes) {
  routes_ = &routes;
  workers_.clear();
  for (const RosterEntry& entry : roster.members) {
    if (entry.member.slot.role == Role::kWorker) workers_.push_back(entry.member.slot);
  }
  asked_.clear();
  answers_.clear();
}

bool SumQuestions::isDue(Slot owner, TimePoint now) const {
  const auto asked = asked_.find(owner);
  return asked == asked_.end() || now - asked->second >= kWaitAsked;
}

void SumQuestions::addWaits(Slot owner, std::uint32_t range, TimePoint since,
                            std::vector<Wait>& found) const {
  const auto answer = answers_.find(owner);
  if (answer != answers_.end() && answer->second.range == range)
    return addLate(owner, answer->second, since, found);
  add(owner, "the sum of range " + std::to_string(range), since, found);
}

void SumQuestions::addLate(Slot owner, const Answer& answer, TimePoint since,
                           std::vector<Wait>& found) const {
  const std::string range = "range " + std::to_string(answer.range);
  const TreeNode missing = answer.missing;
  if (answer.awaited)
    return add(*answer.awaited, "what " + toString(owner) + " awaits of " + range, since, found);
  if (missing.size() == 0)
    return add(owner, "the sum of " + range + ", which is complete there", since, found);
  for (const Slot worker : workers_) {
    if (!routes_->takes(owner, worker, answer.range)) continue;  // it sends them to others
    const TreeNode sent = routes_->taken(owner, worker, answer.range);
    const TreeNode late{std::max(sent.begin, missing.begin), std::min(sent.end, missing.end)};
    if (late.begin >= late.end) continue;
    const bool is_ours = worker == self_;
    const std::string parts = "the parts [" + std::to_string(late.begin) + "," +
                              std::to_string(late.end) + ") to " + range;
    add(is_ours ? owner : worker,
        is_ours ? "our contribution of " + parts + ", which has not come there"
                : "contribution of " + parts + ", summed by " + toString(owner),
        since, found);
  }
}

void SumQuestions::add(Slot whom, const std::string& what, TimePoint since,
                       std::vector<Wait>& found) const {
  if (whom == self_) return;
  const bool is_known = std::ranges::any_of(found, [&](const Wait& w) { return w.whom == whom; });
  if (!is_known) found.push_back({self_, whom, step_, what, since});
}

}  // namespace sumac::worker
