#include "cli/run/supervisor.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/core/check.h"
#include "base/core/stop_times.h"
#include "base/process/process_end.h"

namespace sumac::cli {
Supervisor::Supervisor(int servers, int workers, std::optional<Changes> changes, bool has_program)
    : coordinator_(coordinatorOf(servers)),
      servers_(servers),
      may_change_(changes.has_value()),
      has_program_(has_program),
      workers_(workers),
      rule_(changes ? changes->restarts : 0) {
  SUMAC_CHECK(servers >= 0 && workers >= 1, servers, workers);
}

std::vector<Action> Supervisor::start(TimePoint now) {
  return {begin(coordinator_, now)};
}

Action Supervisor::begin(Slot slot, TimePoint now) {
  members_[slot] = std::nullopt;
  if (slot == coordinator_) ready_by_ = now + readyTime();
  return {Action::Kind::kStart, slot};
}

std::chrono::seconds Supervisor::readyTime() const {
  return has_program_ && coordinator_.role == Role::kWorker ? kProgramReadyTime : kReadyTime;
}

std::vector<Action> Supervisor::ready(TimePoint now) {
  if (phase_ != Phase::kStarting && phase_ != Phase::kRunning) return {};
  ready_by_.reset();
  if (phase_ == Phase::kRunning) return {};
  phase_ = Phase::kRunning;
  return startOthers(now);
}

std::vector<Action> Supervisor::startOthers(TimePoint now) {
  std::vector<Action> actions;
  for (const Slot slot : slotsOf(servers_, workers_)) {
    if (slot != coordinator_) actions.push_back(begin(slot, now));
  }
  return actions;
}

std::vector<Action> Supervisor::ended(Slot slot, Ending ending, TimePoint now) {
  const auto member = members_.find(slot);
  if (member == members_.end() || member->second) return {};
  if (leavers_.erase(slot) > 0) return left(slot, now);
  member->second = ending;
  if (phase_ == Phase::kStopping && slot == coordinator_) {
    deadline_ = std::min(*deadline_, now + kLossTime);  // it goes last
  }
  if (phase_ == Phase::kStopping || phase_ == Phase::kKilling) {
    // What fails by itself is a failure in a stop too: a full disk, or a crash.
    const bool was_killed = phase_ == Phase::kKilling;
    if (!failure_ && !terminated_ && !isPartOfStop(ending, was_killed)) {
      failure_ = Failure{Failure::Kind::kEnded, slot, ending, {}};
    }
    return {};
  }
  const bool is_unjoined = has_program_ && !haveJoined();
  if (!hasEndedWell(slot, ending) || phase_ == Phase::kStarting || is_unjoined)
    return endedBadly(slot, ending, now);
  if (phase_ == Phase::kRunning && ending.isClean()) return endedWell(now);
  return {};
}

/// Who was asked to stop as fewer workers are wanted has done so, unless more are wanted again.
std::vector<Action> Supervisor::left(Slot slot, TimePoint now) {
  members_.erase(slot);
  if (phase_ == Phase::kRunning && slot.index < workers_) return {begin(slot, now)};
  return {};
}

std::vector<Action> Supervisor::endedBadly(Slot slot, const Ending& ending, TimePoint now) {
  const bool is_at_work = phase_ == Phase::kStarting || phase_ == Phase::kRunning;
  Failure failure{Failure::Kind::kEnded, slot, ending, {}};
  if (!may_change_ || !is_at_work || is_complete_ || ending.isClean()) return fail(failure, now);
  const int before = rule_.restartsOf(slot);
  const auto again = rule_.ended(slot, ending);
  if (!again) {
    failure.restarts = before;
    return fail(failure, now);
  }
  if (slot == coordinator_) needAllAgain(now);
  // What one member says of another's loss is no news where the other's end follows, and ends all.
  const bool is_consequence = failure.isConsequence() && again->pause < kToldTime;
  pending_starts_[slot] = {now + (is_consequence ? kToldTime : again->pause), std::nullopt};
  if (is_consequence) {
    pending_starts_[slot].untold = *again;
  } else {
    restarts_.push_back(*again);
  }
  return startAgain(now);
}

/// Another coordinator waits for everybody, also for those that the one before could do without.
void Supervisor::needAllAgain(TimePoint now) {
  ready_by_.reset();
  for (const Slot slot : dispensable_) {
    if (members_.contains(slot) && members_.at(slot)) pending_starts_[slot] = {now, std::nullopt};
  }
  dispensable_.clear();
}

/// The first member that ends well has the result. Those that the job went on without are not
/// needed any more: nobody would answer a process that joins.
std::vector<Action> Supervisor::endedWell(TimePoint now) {
  phase_ = Phase::kEnding;
  deadline_ = now + kEndTime;
  pending_starts_.clear();
  std::vector<Action> actions;
  for (const auto& [slot, ending] : members_) {
    const bool is_needed = !may_change_ || !haveJoined() || rule_.isInRoster(slot);
    if (is_needed || (ending && ending->isClean())) continue;
    dispensable_.insert(slot);
    if (!ending) actions.push_back({Action::Kind::kKill, slot});
  }
  return actions;
}

std::vector<Action> Supervisor::resize(int workers, TimePoint now) {
  SUMAC_CHECK(may_change_ && workers >= 1, workers);
  if (!isTraining()) return {};
  std::vector<Action> actions;
  for (int index = workers_; index < workers; ++index) {
    const Slot slot{Role::kWorker, index};
    if (!leavers_.contains(slot)) actions.push_back(begin(slot, now));  // else when it has left
  }
  for (int index = workers; index < workers_; ++index) {
    const Slot slot{Role::kWorker, index};
    pending_starts_.erase(slot);
    if (members_.contains(slot) && !members_.at(slot)) {
      leavers_[slot] = now + StopTimes::kKill;
      actions.push_back({Action::Kind::kTerminate, slot});
    } else {
      members_.erase(slot);
    }
  }
  workers_ = workers;
  return actions;
}

std::vector<Action> Supervisor::notStarted(Slot slot, const Error& why, TimePoint now) {
  const auto member = members_.find(slot);
  if (member == members_.end() || member->second) return {};
  const Ending ending{toInt(endOf(why, ExitCode::kFailed).code), 0};
  member->second = ending;
  return fail({Failure::Kind::kNotStarted, slot, ending, why.message}, now);
}

std::vector<Action> Supervisor::fail(Failure failure, TimePoint now) {
  const bool explains_more = !failure_ || (failure_->isConsequence() && !failure.isConsequence());
  const TimePoint until = endOfOthers(failure, now);
  if (explains_more && !terminated_) failure_ = std::move(failure);
  if (phase_ == Phase::kFailing && terminated_) return {};
  pending_starts_.clear();
  ready_by_.reset();
  deadline_ = phase_ == Phase::kFailing ? std::min(*deadline_, until) : until;
  phase_ = Phase::kFailing;
  return {};
}

/// Until when the others may end by themselves.
TimePoint Supervisor::endOfOthers(const Failure& failure, TimePoint now) const {
  if (failure.isRefusal()) return now;
  // Before all have joined no other ends by itself. One that says it lost its peers was told so:
  // the end of the member that caused it follows.
  if (!haveJoined() && !failure.isLostPeers()) return now;
  // What a member says of another's loss is followed by the cause.
  if (trainOn(failure)) return failure.isConsequence() ? now + kToldTime : now;
  return now + (failure.isForGood() ? Duration(kToldTime) : Duration(kLossTime));
}

/// Whether the others go on without the member, so that they stop at a checkpoint when they are
/// asked to.
bool Supervisor::trainOn(const Failure& failure) const {
  return may_change_ && haveJoined() && (failure.restarts > 0 || !failure.isForGood());
}

/// What members have that are asked to end after a failure.
Duration Supervisor::timeToEnd() const {
  if (failure_ && trainOn(*failure_)) return StopTimes::kKill;
  const bool is_for_good = failure_ && failure_->isForGood();
  return is_for_good ? Duration(kToldTerminateTime) : Duration(kTerminateTime);
}

std::vector<Action> Supervisor::signalled(int signal, TimePoint now) {
  if (phase_ == Phase::kStopping || phase_ == Phase::kFailing || phase_ == Phase::kKilling) {
    return killAll();
  }
  stop_signal_ = signal;
  phase_ = Phase::kStopping;
  pending_starts_.clear();
  ready_by_.reset();
  deadline_ = now + StopTimes::kKill;
  return toLiving(Action::Kind::kTerminate);
}

std::optional<TimePoint> Supervisor::deadline() const {
  std::optional<TimePoint> first = deadline_;
  const auto consider = [&first](TimePoint time) { first = first ? std::min(*first, time) : time; };
  if (ready_by_) consider(*ready_by_);
  for (const auto& [slot, pending] : pending_starts_)
    consider(pending.time);
  for (const auto& [slot, time] : leavers_)
    consider(time);
  return first;
}

std::vector<Action> Supervisor::tick(TimePoint now) {
  std::vector<Action> actions = startAgain(now);
  for (const Action& action : killLeavers(now))
    actions.push_back(action);
  if (ready_by_ && now >= *ready_by_)
    fail({Failure::Kind::kNotReady, coordinator_, {}, std::to_string(readyTime().count()) + " s"},
         now);
  if (!deadline_ || now < *deadline_) return actions;
  auto living = toLiving(Action::Kind::kTerminate);
  switch (phase_) {
    case Phase::kEnding:
      if (!living.empty()) fail({Failure::Kind::kDidNotEnd, living.front().slot, {}, {}}, now);
      break;
    case Phase::kStarting:
    case Phase::kRunning: return actions;
    case Phase::kFailing: break;
    case Phase::kStopping:
      for (const Action& action : living)
        unanswered_.push_back(action.slot);
      return killAll();
    case Phase::kKilling: return killAll();
  }
  if (terminated_) return killAll();
  terminated_ = true;
  deadline_ = now + timeToEnd();
  return living;
}

std::vector<Action> Supervisor::startAgain(TimePoint now) {
  std::vector<Action> actions;
  for (auto it = pending_starts_.begin(); it != pending_starts_.end();) {
    if (now < it->second.time) {
      ++it;
      continue;
    }
    if (it->second.untold) restarts_.push_back(*it->second.untold);
    actions.push_back(begin(it->first, now));
    it = pending_starts_.erase(it);
  }
  return actions;
}

std::vector<Action> Supervisor::killLeavers(TimePoint now) {
  std::vector<Action> actions;
  for (auto& [slot, time] : leavers_) {
    if (now < time) continue;
    actions.push_back({Action::Kind::kKill, slot});
    time = now + StopTimes::kKill;
  }
  return actions;
}

std::vector<Action> Supervisor::killAll() {
  phase_ = Phase::kKilling;
  deadline_.reset();
  return toLiving(Action::Kind::kKill);
}

std::vector<Action> Supervisor::toLiving(Action::Kind kind) const {
  std::vector<Action> actions;
  for (const auto& [slot, ending] : members_) {
    // Asked to stop again, a member would end at once.
    const bool was_asked = kind == Action::Kind::kTerminate && leavers_.contains(slot);
    if (!ending && !was_asked) actions.push_back({kind, slot});
  }
  return actions;
}

bool Supervisor::isOver() const {
  const bool all_ended = std::all_of(members_.begin(), members_.end(),
                                     [](const auto& member) { return member.second.has_value(); });
  return !members_.empty() && all_ended && phase_ != Phase::kStarting && phase_ != Phase::kRunning;
}

ExitCode Supervisor::exitCode() const {
  SUMAC_CHECK(isOver());
  if (failure_) return failure_->code();
  const bool all_clean = std::all_of(members_.begin(), members_.end(), [this](const auto& member) {
    return hasEndedWell(member.first, *member.second);
  });
  // A stop that came when the job was done already changes nothing.
  const auto expected = static_cast<std::size_t>(servers_) + static_cast<std::size_t>(workers_);
  if (all_clean && members_.size() == expected) return ExitCode::kDone;
  return stop_signal_ == SIGINT ? ExitCode::kInterrupted : ExitCode::kStopped;
}

}  // namespace sumac::cli
