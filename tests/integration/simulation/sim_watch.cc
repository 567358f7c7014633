#include "tests/integration/simulation/sim_watch.h"

#include <algorithm>
#include <stdexcept>

namespace sumac {
namespace {

std::string nameOf(const Member& process) {
  return toString(process.slot) + " (process " + std::to_string(process.incarnation) + ")";
}

[[noreturn]] void broken(const Member& process, const std::string& what) {
  throw std::logic_error(nameOf(process) + " " + what);
}

}  // namespace

const SimState& SimWatch::reference(Step step) {
  if (states_.empty())
    states_.push_back(simFirstState(simPlan(options_, options_.vocabulary).parameters));
  while (std::ssize(states_) <= step)
    states_.push_back(simNext(options_, states_.back(), std::ssize(states_)));
  return states_[static_cast<std::size_t>(step)];
}

void SimWatch::onState(const Member& worker, Step step, const SimState& state) {
  progress();
  if (!options_.most) return;
  held_[worker] = step;
  const SimState& right = reference(step);
  if (state.weights != right.weights || state.velocity != right.velocity)
    broken(worker, "has another state after step " + std::to_string(step) + " than it should have");
}

void SimWatch::onRoster(const Member& worker, const Roster& roster, RosterOrder before) {
  if (!options_.most) return;
  if (!roster.has(worker)) broken(worker, "follows a roster that does not name it");
  if (roster.order <= before) broken(worker, "follows an older roster than before");
  const auto own = held_.find(worker);
  if (own != held_.end() && own->second > roster.start_step)
    broken(worker, "has to redo step " + std::to_string(own->second));
  if (roster.order <= newest_) return;
  newest_ = roster.order;
  if (kernels_.empty() || roster.start_step == 0) kernels_ = roster.kernels;
  if (kernels_ != roster.kernels) broken(worker, "computes with other kernels than before");
  if (!is_in_reach_) return;
  if (roster.start_step < checkpoint_)
    broken(worker, "begins after step " + std::to_string(roster.start_step) +
                       ", although there is a checkpoint of " + std::to_string(checkpoint_));
  for (const auto& [other, step] : held_) {
    if (step > roster.start_step)
      broken(worker, "begins after step " + std::to_string(roster.start_step) + ", although " +
                         nameOf(other) + " has that of " + std::to_string(step));
  }
}

void SimWatch::onHaltNow(const Member& worker) const {
  if (options_.most && is_undisturbed_) broken(worker, "halts at once, although nobody is lost");
}

void SimWatch::onCheckpoint(const std::vector<RosterEntry>& members, Step step, bool stops) {
  checkpoint_ = std::max(checkpoint_, step);
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

void SimWatch::checkLiveness() const {
  if (!options_.most) return;
  if (network_.now() > std::max(progressed_, calm_from_) + longest_pause_)
    throw std::logic_error("no step for " +
                           std::to_string(longest_pause_ / std::chrono::seconds(1)) +
                           " s after all that happened");
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
