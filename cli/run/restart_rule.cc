#include "cli/run/restart_rule.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/core/units.h"

namespace sumac::cli {
namespace {

constexpr std::array kPauses{std::chrono::seconds(0), std::chrono::seconds(1),
                             std::chrono::seconds(5)};  // the last for all later ones

Duration pauseBefore(int restart) {
  return kPauses.at(std::min(static_cast<std::size_t>(restart), kPauses.size()) - 1);
}

}  // namespace

std::string Restart::text() const {
  std::string line = toString(slot) + " " + ending.verb();
  if (!reason.empty()) line += " (" + reason + ")";
  line += "; starting it again";
  if (pause > Duration::zero())
    line += " in " + durationText(std::chrono::duration<double>(pause).count());
  return line + " (" + std::to_string(number) + " of " + std::to_string(most) +
         " without progress)";
}

void RestartRule::rosterBegan(std::set<Slot> members) {
  has_begun_ = true;
  names_members_ = !members.empty();
  for (const Slot slot : members)
    explained_.erase(slot);
  roster_ = std::move(members);
}

void RestartRule::stepDone(Step step) {
  if (step <= newest_) return;
  newest_ = step;
  for (const Slot slot : roster_)
    in_a_row_.erase(slot);
}

std::optional<Restart> RestartRule::ended(Slot slot, const Ending& ending) {
  roster_.erase(slot);
  const bool is_refusal = ending.is(ExitCode::kBadConfiguration) && !has_begun_;
  if (is_refusal || ending.is(ExitCode::kFailed) || ending.is(ExitCode::kUsage))
    return std::nullopt;
  const bool is_effect = ending.is(ExitCode::kLostPeers) && explained_.erase(slot) > 0;
  const int number = restartsOf(slot) + (is_effect ? 0 : 1);
  if (number > most_) return std::nullopt;
  in_a_row_[slot] = number;
  if (!ending.is(ExitCode::kLostPeers)) explained_.insert(slot);
  return Restart{slot, ending, {}, number, most_, pauseBefore(number)};
}

int RestartRule::restartsOf(Slot slot) const {
  const auto found = in_a_row_.find(slot);
  return found == in_a_row_.end() ? 0 : found->second;
}

}  // namespace sumac::cli
