#include "cli/run/supervisor.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/core/check.h"
#include "base/core/stop_times.h"
#include "base/process/process_end.h"

namespace sumac::cli {
namespace {

bool isLostPeers(const Failure& failure) {
  return failure.kind == Failure::Kind::kEnded && failure.ending.signal == 0 &&
         failure.ending.code == toInt(ExitCode::kLostPeers);
}

bool isStop(const Failure& failure) {
  return failure.kind == Failure::Kind::kEnded && failure.ending.signal == 0 &&
         failure.ending.code == toInt(ExitCode::kStopped);
}

/// What a stop makes of a member that was asked to end: by a signal, if it was not ready for one.
bool isPartOfStop(const Ending& ending, bool was_killed) {
  switch (ending.signal) {
    case 0:
      return ending.isClean() || ending.code == toInt(ExitCode::kStopped) ||
             ending.code == toInt(ExitCode::kLostPeers);
    case SIGTERM:
    case SIGINT:
    case SIGHUP: return true;
    case SIGKILL: return was_killed;
    default: return false;
  }
}

/// Of what another member did, and says.
bool isConsequence(const Failure& failure) {
  return isLostPeers(failure) || isStop(failure);
}

/// Nothing is running yet that could end by itself: the others wait for this one.
bool isRefusal(const Failure& failure) {
  if (failure.kind == Failure::Kind::kNotStarted) return true;
  return failure.kind == Failure::Kind::kEnded && failure.ending.signal == 0 &&
         (failure.ending.code == toInt(ExitCode::kBadConfiguration) ||
          failure.ending.code == toInt(ExitCode::kUsage));
}

/// Of a member that ended by itself and knew why: waiting for the others brings nothing.
bool isForGood(const Failure& failure) {
  return isRefusal(failure) || (failure.kind == Failure::Kind::kEnded &&
                                failure.ending.signal == 0 && !isConsequence(failure));
}

/// What a member's ending means for the whole run.
ExitCode codeOf(const Ending& ending) {
  switch (ending.signal) {
    case 0: break;
    case SIGABRT:
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL: return ExitCode::kBrokenInvariant;
    default:
      return ExitCode::kLostPeers;  // killed from outside: a restart resumes from the checkpoint
  }
  for (const ExitCode code :
       {ExitCode::kUsage, ExitCode::kResourceFailed, ExitCode::kLostPeers,
        ExitCode::kBadConfiguration, ExitCode::kBrokenInvariant, ExitCode::kStopped}) {
    if (ending.code == toInt(code)) return code;
  }
  return ExitCode::kFailed;
}

}  // namespace

std::string Ending::text() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  const char* const name = ::strsignal(signal);
  return "killed by signal " + std::to_string(signal) + " (" + (name ? name : "unknown") + ")";
}

std::string Failure::text() const {
  switch (kind) {
    case Kind::kEnded:
      if (ending.isClean()) return toString(slot) + " ended before the job began";
      if (isRefusal(*this)) return toString(slot) + " cannot run this job: " + ending.text();
      if (isStop(*this)) return "a member was asked to stop, so all have stopped";
      if (isLostPeers(*this)) return toString(slot) + " lost another member: " + ending.text();
      // By itself, as when the loss is not finite or the disk is full.
      if (ending.signal == 0) return toString(slot) + " failed: " + ending.text();
      return toString(slot) + " was lost: " + ending.text();
    case Kind::kNotStarted: return toString(slot) + " could not be started: " + detail;
    case Kind::kNotReady:
      return toString(slot) + " did not report its endpoint within " +
             std::to_string(Supervisor::kReadyTime.count()) + " s";
    case Kind::kDidNotEnd:
      return toString(slot) + " did not end within " +
             std::to_string(Supervisor::kEndTime.count()) + " s of the others";
  }
  return {};
}

Supervisor::Supervisor(int servers, int workers)
    : coordinator_(coordinatorOf(servers)), servers_(servers), workers_(workers) {
  SUMAC_CHECK(servers >= 0 && workers >= 1, servers, workers);
}

std::vector<Action> Supervisor::start(TimePoint now) {
  members_[coordinator_] = std::nullopt;
  deadline_ = now + kReadyTime;
  return {{Action::Kind::kStart, coordinator_}};
}

std::vector<Action> Supervisor::ready(TimePoint /*now*/) {
  if (phase_ != Phase::kStarting) return {};
  phase_ = Phase::kRunning;
  deadline_.reset();
  return startOthers();
}

std::vector<Action> Supervisor::startOthers() {
  std::vector<Action> actions;
  for (const Slot slot : slotsOf(servers_, workers_)) {
    if (slot == coordinator_) continue;
    actions.push_back({Action::Kind::kStart, slot});
    members_[slot] = std::nullopt;
  }
  return actions;
}

std::vector<Action> Supervisor::ended(Slot slot, Ending ending, TimePoint now) {
  const auto member = members_.find(slot);
  if (member == members_.end() || member->second) return {};
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
  if (!hasEndedWell(slot, ending) || phase_ == Phase::kStarting) {
    return fail({Failure::Kind::kEnded, slot, ending, {}}, now);
  }
  if (phase_ == Phase::kRunning && ending.isClean()) {
    phase_ = Phase::kEnding;
    deadline_ = now + kEndTime;
  }
  return {};
}

std::vector<Action> Supervisor::notStarted(Slot slot, const Error& why, TimePoint now) {
  const auto member = members_.find(slot);
  if (member == members_.end() || member->second) return {};
  const Ending ending{toInt(endOf(why, ExitCode::kFailed).code), 0};
  member->second = ending;
  return fail({Failure::Kind::kNotStarted, slot, ending, why.message}, now);
}

std::vector<Action> Supervisor::fail(Failure failure, TimePoint now) {
  const bool explains_more = !failure_ || (isConsequence(*failure_) && !isConsequence(failure));
  const TimePoint until = endOfOthers(failure, now);
  if (explains_more && !terminated_) failure_ = std::move(failure);
  if (phase_ == Phase::kFailing && terminated_) return {};
  deadline_ = phase_ == Phase::kFailing ? std::min(*deadline_, until) : until;
  phase_ = Phase::kFailing;
  return {};
}

/// Until when the others may end by themselves.
TimePoint Supervisor::endOfOthers(const Failure& failure, TimePoint now) const {
  if (isRefusal(failure)) return now;
  // Before all have joined no other ends by itself. One that says it lost its peers was told so:
  // the end of the member that caused it follows.
  if (!have_joined_ && !isLostPeers(failure)) return now;
  return now + (isForGood(failure) ? Duration(kToldTime) : Duration(kLossTime));
}

std::vector<Action> Supervisor::signalled(int signal, TimePoint now) {
  if (phase_ == Phase::kStopping || phase_ == Phase::kFailing || phase_ == Phase::kKilling) {
    return killAll();
  }
  stop_signal_ = signal;
  phase_ = Phase::kStopping;
  deadline_ = now + StopTimes::kKill;
  return toLiving(Action::Kind::kTerminate);
}

std::vector<Action> Supervisor::tick(TimePoint now) {
  if (!deadline_ || now < *deadline_) return {};
  auto living = toLiving(Action::Kind::kTerminate);
  switch (phase_) {
    case Phase::kStarting: fail({Failure::Kind::kNotReady, coordinator_, {}, {}}, now); break;
    case Phase::kEnding:
      if (!living.empty()) fail({Failure::Kind::kDidNotEnd, living.front().slot, {}, {}}, now);
      break;
    case Phase::kRunning: return {};
    case Phase::kFailing: break;
    case Phase::kStopping:
      for (const Action& action : living)
        unanswered_.push_back(action.slot);
      return killAll();
    case Phase::kKilling: return killAll();
  }
  if (terminated_) return killAll();
  terminated_ = true;
  const bool is_for_good = failure_ && isForGood(*failure_);
  deadline_ = now + (is_for_good ? Duration(kToldTerminateTime) : Duration(kTerminateTime));
  return living;
}

std::vector<Action> Supervisor::killAll() {
  phase_ = Phase::kKilling;
  deadline_.reset();
  return toLiving(Action::Kind::kKill);
}

std::vector<Action> Supervisor::toLiving(Action::Kind kind) const {
  std::vector<Action> actions;
  for (const auto& [slot, ending] : members_) {
    if (!ending) actions.push_back({kind, slot});
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
  if (failure_) {
    const bool has_code =
        failure_->kind == Failure::Kind::kEnded || failure_->kind == Failure::Kind::kNotStarted;
    return has_code ? codeOf(failure_->ending) : ExitCode::kFailed;
  }
  const bool all_clean = std::all_of(members_.begin(), members_.end(), [this](const auto& member) {
    return hasEndedWell(member.first, *member.second);
  });
  // A stop that came when the job was done already changes nothing.
  const auto expected = static_cast<std::size_t>(servers_) + static_cast<std::size_t>(workers_);
  if (all_clean && members_.size() == expected) return ExitCode::kDone;
  return stop_signal_ == SIGINT ? ExitCode::kInterrupted : ExitCode::kStopped;
}

}  // namespace sumac::cli
