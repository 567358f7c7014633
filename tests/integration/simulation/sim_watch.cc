#include "tests/integration/simulation/sim_watch.h"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace sumac {
namespace {

std::string nameOf(const Member& process) {
  return toString(process.slot) + " (process " + std::to_string(process.incarnation) + ")";
}

[[noreturn]] void broken(const Member& process, const std::string& what) {
  throw std::logic_error(nameOf(process) + " " + what);
}

}  // namespace

const SimState& SimWatch::reference(Step step, const std::string& kernels) {
  std::vector<SimState>& states = states_[kernels];
  if (states.empty()) states.push_back(simFirstState(simPlan(options_, options_.size).parameters));
  while (std::ssize(states) <= step)
    states.push_back(simNext(options_, states.back(), std::ssize(states), kernels));
  return states[static_cast<std::size_t>(step)];
}

void SimWatch::checkBits(const Member& worker, Step step, const SimState& state,
                         const std::string& kernels) {
  const SimState& right = reference(step, kernels);
  if (state.weights != right.weights || state.velocity != right.velocity)
    broken(worker, "has another state after step " + std::to_string(step) + " than it should have");
}

void SimWatch::onState(const Member& worker, Step step, const SimState& state,
                       const std::string& kernels) {
  progress();
  if (!options_.most) return;
  held_[worker] = step;
  checkBits(worker, step, state, kernels);
}

void SimWatch::onSent(const Member& worker, Step step, const std::vector<RosterEntry>& members) {
  sent_[worker] = step;
  const bool have_all = std::ranges::all_of(members, [&](const RosterEntry& entry) {
    return entry.member.slot.role != Role::kWorker || sent_[entry.member] >= step;
  });
  if (!have_all) return;
  const auto [first, end] = when_sent_.equal_range(step);
  for (auto at = first; at != end; ++at)
    network_.after({}, at->second);
  when_sent_.erase(first, end);
}

void SimWatch::onReceiving(const Member& worker) {
  for (const auto& what : std::exchange(when_receiving_, {}))
    network_.after({}, [what, worker] { what(worker); });
}

std::vector<Member> SimWatch::holders() const {
  std::vector<Member> all;
  for (const auto& [process, step] : held_) {
    if (step >= start_step_ && !ended_.contains(process)) all.push_back(process);
  }
  return all;
}

void SimWatch::onStep(const Member& worker, Step step,
                      const std::vector<RosterEntry>& members) const {
  if (!options_.most) return;
  const bool is_heard = is_in_reach_ && !options_.isHarmed();
  if (is_heard && behind_ && step <= behind_->step && network_.now() - behind_->since > kFound)
    broken(worker, "does step " + std::to_string(step) +
                       " again, although there was a checkpoint of " +
                       std::to_string(behind_->step) + " as its roster was issued");
  for (const RosterEntry& entry : members) {
    const Member& other = entry.member;
    if (other.slot.role != Role::kWorker || ended_.contains(other)) continue;
    const auto held = held_.find(other);
    if (held == held_.end() || held->second < step - 1)
      broken(worker, "has done step " + std::to_string(step) + ", and " + nameOf(other) +
                         " lacks the one before");
  }
}

void SimWatch::onWritten(const Member& writer, Step step, const SimState& state,
                         const std::string& kernels) {
  if (options_.most) checkBits(writer, step, state, kernels);
  written_ = {step, kernels};
}

/// A checkpoint of other kernels has other bits: that of a job which has begun again since.
void SimWatch::noteBehind(const Roster& roster) {
  behind_.reset();
  const auto& [step, kernels] = written_;
  if (step > roster.start_step && kernels == roster.kernels) behind_ = {step, network_.now()};
}

void SimWatch::onTold(const std::string& json) {
  if (!options_.most) return;
  const auto event = nlohmann::json::parse(json);
  const std::string kind = event.value("event", "");
  if (kind == "roster") told_ = event.at("members").at("worker").get<std::set<int>>();
  if (kind == "roster" && event.at("generation") == 1) checkpoint_ = 0;
  if (kind == "checkpoint") checkpoint_ = std::max(checkpoint_, event.at("step").get<Step>());
  if (kind != "change") return;
  // A trainer takes what its member has received a moment later.
  network_.after(kTaken, [this, step = event.at("step").get<Step>()] { checkChange(step); });
}

/// A change is over that has led to a roster which starts with this step.
void SimWatch::checkChange(Step step) const {
  if (!is_in_reach_) return;
  for (const int index : told_) {
    const Member& worker = network_.newest({Role::kWorker, index});
    const auto held = held_.find(worker);
    if (held != held_.end() && held->second < step)
      broken(worker, "lacks the state of step " + std::to_string(step) +
                         ", although the change is told as over");
  }
}

void SimWatch::onRoster(const Member& worker, const Roster& roster, RosterOrder before) {
  if (!options_.most) return;
  if (!roster.has(worker)) broken(worker, "follows a roster that does not name it");
  if (roster.order <= before) broken(worker, "follows an older roster than before");
  const auto own = held_.find(worker);
  if (own != held_.end() && own->second > roster.start_step)
    broken(worker, "has to redo step " + std::to_string(own->second));
  if (roster.order <= newest_) return;
  // Those that it was left to may have been lost with who coordinated.
  if (roster.order.term != newest_.term) forgetReleased();
  if (is_in_reach_) checkLosses(worker, roster);
  forgetReleased();
  checkMembers(roster);
  noteBehind(roster);
  newest_ = roster.order;
  start_step_ = roster.start_step;
  // A checkpoint may be older than a job that has begun again, and was lost.
  const bool may_be_others = roster.start_step == 0 || !hasHolder(roster);
  if (kernels_.empty() || may_be_others) kernels_ = roster.kernels;
  if (kernels_ != roster.kernels) broken(worker, "computes with other kernels than before");
}

void SimWatch::forgetReleased() {
  for (const Member& left : std::exchange(released_, {}))
    held_.erase(left);
}

/// Within a term nobody comes back who was left out: lanes that stay open rely on it.
void SimWatch::checkMembers(const Roster& roster) {
  for (const RosterEntry& entry : roster.members) {
    const auto named = named_.find(entry.member);
    const bool was_left_out = named != named_.end() && named->second != newest_ &&
                              named->second.term == roster.order.term;
    if (was_left_out) broken(entry.member, "is a member again in the same term");
    named_[entry.member] = roster.order;
  }
}

/// Whether one of its members has a state.
bool SimWatch::hasHolder(const Roster& roster) const {
  return std::ranges::any_of(roster.members,
                             [this](const auto& entry) { return held_.contains(entry.member); });
}

/// Whether who founds does not know of those who have a state: it was told of fewer members.
bool SimWatch::beginsAgain(const Roster& roster) const {
  return options_.named > 0 && roster.order.generation == 1 && !hasHolder(roster);
}

void SimWatch::checkLosses(const Member& worker, const Roster& roster) const {
  // Who coordinates knows of those alone that it was told of, and that the writer has seen.
  const auto writer = std::ranges::find(roster.members, roster.writer,
                                        [](const auto& entry) { return entry.member.slot; });
  const Step known = std::max(checkpoint_, seen_.at(writer->member));
  if (roster.start_step < known)
    broken(worker, "begins after step " + std::to_string(roster.start_step) +
                       ", although there is a checkpoint of " + std::to_string(known));
  if (beginsAgain(roster)) return;
  for (const auto& [other, step] : held_) {
    const bool leaves = leaving_.contains(other);
    const Step lost = leaves && !is_undisturbed_ ? 1 : 0;
    if (step > roster.start_step + lost)
      broken(worker, "begins after step " + std::to_string(roster.start_step) + ", although " +
                         nameOf(other) + " has that of " + std::to_string(step));
    const auto named = named_.find(other);
    const bool was_member = named != named_.end() && named->second == newest_;
    if (roster.order.generation == 1 && was_member && !leaves && !roster.has(other))
      broken(other, "is left out by who founds anew");
  }
}

void SimWatch::onHaltNow(const Member& worker) const {
  if (options_.most && is_undisturbed_) broken(worker, "halts at once, although nobody is lost");
}

void SimWatch::onCheckpoint(const std::vector<RosterEntry>& members, Step step, bool stops) {
  // A draft may be completed under a roster with members that were out of reach when all had it.
  if (!options_.most || stops || !is_in_reach_) return;
  for (const RosterEntry& entry : members) {
    const auto held = held_.find(entry.member);
    if (held != held_.end() && held->second < step)
      broken(entry.member,
             "lacks step " + std::to_string(step) + ", of which a checkpoint is made");
  }
}

void SimWatch::onEvaluated(Step step) {
  progress();
  evaluated_.insert(step);
}

void SimWatch::onSuspected(const Member& worker, Slot other, const Roster& roster) {
  disturb();
  cutOff();
  if (options_.most && roster.find(other) == nullptr)
    broken(worker, "has a lane to " + toString(other) + ", which is no member");
}

Duration SimWatch::longestPause() const {
  const bool is_calm =
      is_undisturbed_ && is_in_reach_ && !options_.isHarmed() && !options_.is_operated;
  if (!is_calm) return longest_pause_;
  // A state may slip, and goes from one worker that lacks it to the next.
  return kCalm + (progressed_ == TimePoint{} ? kStart : 4 * options_.state_time);
}

void SimWatch::checkLiveness() const {
  if (!options_.most) return;
  const Duration longest = longestPause();
  if (network_.now() > std::max(progressed_, calm_from_) + longest)
    throw std::logic_error("no step for " + std::to_string(longest / std::chrono::milliseconds(1)) +
                           " ms after all that happened");
}

std::optional<Step> SimWatch::missingEvaluation() const {
  for (Step step = options_.steps_per_epoch; step < options_.steps;
       step += options_.steps_per_epoch) {
    const auto made = evaluated_.lower_bound(step);
    if (made == evaluated_.end() || *made >= step + options_.steps_per_epoch) return step;
  }
  return std::nullopt;
}

}  // namespace sumac
