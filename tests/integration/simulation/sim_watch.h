#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exchange/membership/roster.h"
#include "tests/integration/simulation/sim_options.h"

namespace sumac {

/// What must hold at every moment of a job whose members may change (docs/design/exchange.md, "What
/// the simulator catches"). Its processes tell it what they do; it throws std::logic_error where
/// that breaks a rule. The bits are only known, so only checked, where members may change.
class SimWatch {
 public:
  /// The references outlive us.
  SimWatch(const SimOptions& options, SimNetwork& network)
      : options_(options), network_(network), calm_from_(network.now()) {}

  /// A worker's process begins, and finds this checkpoint as the newest; 0: none.
  void onBegin(const Member& worker, Step checkpoint) { seen_[worker] = checkpoint; }
  /// A worker that computes with `kernels` has this state after `step`: it is that of a single
  /// process with these.
  void onState(const Member& worker, Step step, const SimState& state, const std::string& kernels);
  /// A worker has sent all that it contributes to this step.
  void onSent(const Member& worker, Step step, const std::vector<RosterEntry>& members);
  /// A worker asks for the state that its roster starts with.
  void onReceiving(const Member& worker);
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
  /// From then on no roster goes back behind it, but for a moment.
  void onWritten(const Member& writer, Step step, const SimState& state,
                 const std::string& kernels);
  void onEvaluated(Step step);
  /// The coordinator has told this: when it says that a change is over, all have the state.
  void onTold(const std::string& json);
  /// A worker gives up its lane to another, which its roster names.
  void onSuspected(const Member& worker, Slot other, const Roster& roster);
  /// It is asked to leave: until it ends, the others need not go back by more than the step that it
  /// alone has done, where a member is lost.
  void onLeaving(const Member& process) { leaving_.insert(process); }
  /// It is allowed to leave: the next roster starts with a state that it has, or a later one.
  void onReleased(const Member& process) {
    released_.insert(process);
    ended_.insert(process);
  }
  /// What it has counts no more.
  void onEnd(const Member& process) {
    if (held_.erase(process) > 0) forgetReleased();  // who left may have left its state to this one
    ended_.insert(process);
  }
  /// Whether this roster is newer than all that were asked for before.
  bool isNews(RosterOrder order) { return order > std::exchange(heard_, std::max(heard_, order)); }

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
  /// All that had the newest state are lost.
  void loseState() { is_state_lost_ = true; }
  bool isStateLost() const { return is_state_lost_; }
  /// Something happens, the last of it at that time.
  void expect(TimePoint until) { calm_from_ = std::max(calm_from_, until); }
  /// Throws where nothing has got on for too long since the last thing that happened.
  void checkLiveness() const;

  /// Of a job that is complete: a step whose evaluation was due and not made, nor one of a step
  /// soon after it.
  std::optional<Step> missingEvaluation() const;
  /// Calls it soon after a worker has asked for a state, once.
  void onceReceiving(std::function<void(const Member&)> what) {
    when_receiving_.push_back(std::move(what));
  }
  /// The same after all workers of a roster have sent all that they contribute to this step.
  void onceSent(Step step, std::function<void()> what) {
    when_sent_.emplace(step, std::move(what));
  }
  /// Who has the state that the newest roster starts with, or a later one.
  std::vector<Member> holders() const;
  Step newestEvaluation() const { return evaluated_.empty() ? 0 : *evaluated_.rbegin(); }
  /// What all workers of the job compute with; empty: not known yet.
  const std::string& kernels() const { return kernels_; }
  /// What a single process has after `step`.
  const SimState& reference(Step step, const std::string& kernels);

 private:
  // A founder waits 30 s for more than the fewest.
  static constexpr Duration kFewMembers = std::chrono::seconds(45);
  // Where members only come and go; and until the first of them have found each other.
  static constexpr Duration kCalm = std::chrono::milliseconds(200);
  static constexpr Duration kStart = std::chrono::milliseconds(150);
  static constexpr Duration kTaken = std::chrono::microseconds(200);
  // Until all have halted, as the writer has found a newer checkpoint than its roster's start.
  static constexpr Duration kFound = std::chrono::milliseconds(50);

  struct Behind {
    Step step = 0;  // of the checkpoint
    TimePoint since;
  };

  void progress() { progressed_ = network_.now(); }
  void checkBits(const Member& worker, Step step, const SimState& state,
                 const std::string& kernels);
  void forgetReleased();
  void checkMembers(const Roster& roster);
  void checkChange(Step step) const;
  void checkLosses(const Member& worker, const Roster& roster) const;
  bool hasHolder(const Roster& roster) const;
  bool beginsAgain(const Roster& roster) const;
  void noteBehind(const Roster& roster);
  Duration longestPause() const;

  const SimOptions& options_;                            // outlives us
  SimNetwork& network_;                                  // outlives us
  std::map<std::string, std::vector<SimState>> states_;  // of a single process, by kernels and step
  std::map<Member, Step> held_;  // of workers that live: the step whose state each has
  std::set<Step> evaluated_;
  Step checkpoint_ = 0;                   // the newest that who coordinates was told of
  std::map<Member, Step> seen_;           // as each process began
  std::pair<Step, std::string> written_;  // the newest checkpoint, and its kernels
  std::optional<Behind> behind_;          // the newest roster starts before a checkpoint
  std::string kernels_;
  RosterOrder newest_;                   // of all rosters
  std::map<Member, RosterOrder> named_;  // the newest roster that names each process
  Step start_step_ = 0;                  // of the newest roster
  RosterOrder heard_;
  std::set<int> told_;  // the workers of the newest roster, as the coordinator has told
  std::set<Member> leaving_;
  std::set<Member> released_;  // since that roster
  std::set<Member> ended_;
  std::map<Member, Step> sent_;
  std::vector<std::function<void(const Member&)>> when_receiving_;
  std::multimap<Step, std::function<void()>> when_sent_;
  bool is_undisturbed_ = true;
  bool is_in_reach_ = true;
  bool is_state_lost_ = false;
  // A stop that is not finished, and a join that is not answered meanwhile.
  Duration longest_pause_ = std::chrono::seconds(30);
  TimePoint progressed_{};
  TimePoint calm_from_;
};

}  // namespace sumac
