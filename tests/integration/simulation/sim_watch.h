#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exchange/membership/roster.h"
#include "tests/integration/simulation/sim_options.h"

namespace sumac {

/// What must hold at every moment of a job whose members may change (docs/design/exchange.md, "What
/// the simulator catches"). Its processes tell it what they do; it throws std::logic_error where
/// that breaks a rule. The bits are only known, so only checked, where members may change.
class SimWatch {
 public:
  SimWatch(const SimOptions& options, const SimNetwork& network)
      : options_(options), network_(network), calm_from_(network.now()) {}

  /// A worker has this state after `step`: it is that of a single process.
  void onState(const Member& worker, Step step, const SimState& state);
  /// A worker has done this step: all of its roster have the one before.
  void onStep(const Member& worker, Step step, const std::vector<RosterEntry>& members) const;
  /// A worker goes on by this roster, after one of `before`. It names this process, no worker goes
  /// back in time, and where nobody is out of reach nothing is lost that a living one or a
  /// checkpoint has.
  void onRoster(const Member& worker, const Roster& roster, RosterOrder before);
  /// A worker is to halt where it is: no change that was planned asks for that.
  void onHaltNow(const Member& worker) const;
  /// A checkpoint is complete: every living member of the writer's roster has got as far. `stops`:
  /// a stop is decided, which does not wait for all.
  void onCheckpoint(const std::vector<RosterEntry>& members, Step step, bool stops);
  /// What it has is the state after `step`.
  void onWritten(const Member& writer, Step step, const SimState& state);
  void onEvaluated(Step step);
  /// A worker gives up its lane to another, which its roster names.
  void onSuspected(const Member& worker, Slot other, const Roster& roster);
  /// It is asked to leave: until it ends, the others need not go back by more than the step that it
  /// alone has done, where a member is lost.
  void onLeaving(const Member& process) { leaving_.insert(process); }
  /// What it has counts no more.
  void onEnd(const Member& process) {
    held_.erase(process);
    ended_.insert(process);
  }

  /// A process is lost or slot 0 is asked to stop.
  void disturb() { is_undisturbed_ = false; }
  /// Members may be out of each other's reach from now on.
  void cutOff() {
    is_in_reach_ = false;
    expectFew();
  }
  /// The job may have to be founded again by fewer members than at its start.
  void expectFew() { longest_pause_ = kFewMembers; }
  bool isInReach() const { return is_in_reach_; }
  /// Something happens, the last of it at that time.
  void expect(TimePoint until) { calm_from_ = std::max(calm_from_, until); }
  /// Throws where nothing has got on for too long since the last thing that happened.
  void checkLiveness() const;

  /// Of a job that is complete: a step whose evaluation was due and not made, nor one of a step
  /// soon after it.
  std::optional<Step> missingEvaluation() const;
  Step newestEvaluation() const { return evaluated_.empty() ? 0 : *evaluated_.rbegin(); }
  /// What all workers of the job compute with; empty: not known yet.
  const std::string& kernels() const { return kernels_; }
  /// What a single process has after `step`.
  const SimState& reference(Step step);

 private:
  // A founder waits 30 s for more than the fewest.
  static constexpr Duration kFewMembers = std::chrono::seconds(45);
  // Where members only come and go; and until the first of them have found each other.
  static constexpr Duration kCalm = std::chrono::milliseconds(200);
  static constexpr Duration kStart = std::chrono::milliseconds(150);

  void progress() { progressed_ = network_.now(); }
  void checkBits(const Member& worker, Step step, const SimState& state);
  void checkMembers(const Roster& roster);
  void checkLosses(const Member& worker, const Roster& roster) const;
  bool beginsAgain(const Roster& roster) const;
  Duration longestPause() const;

  const SimOptions& options_;     // outlives us
  const SimNetwork& network_;     // outlives us
  std::vector<SimState> states_;  // of a single process, by step
  std::map<Member, Step> held_;   // of workers that live: the step whose state each has
  std::set<Step> evaluated_;
  Step checkpoint_ = 0;  // the newest
  std::string kernels_;
  RosterOrder newest_;                   // of all rosters
  std::map<Member, RosterOrder> named_;  // the newest roster that names each process
  std::set<Member> leaving_;
  std::set<Member> ended_;
  bool is_undisturbed_ = true;
  bool is_in_reach_ = true;
  // A stop that is not finished, and a join that is not answered meanwhile.
  Duration longest_pause_ = std::chrono::seconds(30);
  TimePoint progressed_{};
  TimePoint calm_from_;
};

}  // namespace sumac
