#include "operator/control/leader_election.h"

#include <algorithm>
#include <utility>

#include "base/core/units.h"

namespace sumac::control {
namespace {

constexpr double kJitter = 1.2;

// A record may claim any duration; a follower waits no longer than this for a lost holder.
constexpr std::chrono::seconds kLongestDuration = std::chrono::minutes(10);

/// Compares the fields that change with each renewal or change of the holder.
bool isSameRecord(const kube::LeaseRecord& a, const kube::LeaseRecord& b) {
  return a.resource_version == b.resource_version && a.holder == b.holder && a.renewed == b.renewed;
}

}  // namespace

Result<void> checkElectionOptions(const ElectionOptions& options) {
  const auto refuse = [](const std::string& rule) {
    return Error{ErrorCode::kInvalid, rule +
                                          ": a leader must notice that it lost its lease before "
                                          "another one takes over"};
  };
  if (options.lease_duration <= options.renew_deadline) {
    return refuse("the lease duration, " + durationText(options.lease_duration) +
                  ", must be longer than the renew deadline, " +
                  durationText(options.renew_deadline));
  }
  if (options.retry_period <= Duration::zero()) {
    return refuse("the retry period must be above 0 s");
  }
  if (std::chrono::duration<double>(options.renew_deadline) <=
      kJitter * std::chrono::duration<double>(options.retry_period)) {
    return refuse("the renew deadline, " + durationText(options.renew_deadline) +
                  ", must be longer than 1.2 times the retry period, " +
                  durationText(options.retry_period));
  }
  return {};
}

void LeaderElection::lose(std::string why) {
  state_ = State::kLost;
  loss_ = std::move(why);
}

void LeaderElection::tick(TimePoint now) {
  if (state_ != State::kLeader || now < leaderUntil()) return;
  lose("the lease was not renewed for " + durationText(options_.renew_deadline) +
       ": the API server was away, or this process stood still");
}

void LeaderElection::notice(const kube::LeaseRecord& record, TimePoint now) {
  if (has_seen_ && isSameRecord(seen_, record)) return;
  seen_ = record;
  has_seen_ = true;
  changed_ = now;
}

TimePoint LeaderElection::othersEnd() const {
  const auto claimed = std::min(seen_.duration, kLongestDuration);
  return changed_ + (claimed.count() > 0 ? Duration(claimed) : options_.lease_duration);
}

bool LeaderElection::isOver(TimePoint now) const {
  return seen_.holder.empty() || seen_.holder == options_.identity || now >= othersEnd();
}

std::optional<LeaderElection::Write> LeaderElection::observe(const Seen& seen, TimePoint now,
                                                             WallTime wall) {
  tick(now);
  if (seen.failed || state_ == State::kLost) return std::nullopt;
  if (seen.record) notice(*seen.record, now);
  // A deleted lease is created again: creating is as exclusive as renewing.
  if (state_ == State::kLeader && seen.record && seen.record->holder != options_.identity) {
    lose(seen.record->holder.empty() ? "somebody released the lease"
                                     : "another operator holds it: " + seen.record->holder);
    return std::nullopt;
  }
  if (seen.record && !isOver(now)) return std::nullopt;

  return claim(seen.record, wall);
}

LeaderElection::Write LeaderElection::claim(const std::optional<kube::LeaseRecord>& seen,
                                            WallTime wall) const {
  Write write;
  write.create = !seen;
  if (seen) write.record = *seen;
  if (write.record.holder != options_.identity) {
    write.record.holder = options_.identity;
    write.record.acquired = wall;
    if (!write.create) ++write.record.transitions;
  }
  write.record.duration = std::chrono::ceil<std::chrono::seconds>(options_.lease_duration);
  write.record.renewed = wall;
  return write;
}

std::optional<LeaderElection::Write> LeaderElection::renewal(TimePoint now, WallTime wall) {
  tick(now);
  if (state_ != State::kLeader || !is_current_) return std::nullopt;
  return claim(seen_, wall);
}

void LeaderElection::wrote(Written result, const kube::LeaseRecord& stored, TimePoint sent,
                           TimePoint now) {
  // A write that was in flight while the process was frozen may succeed after the lease has expired
  // for this process: that is too late.
  tick(now);
  is_current_ = result == Written::kDone;
  if (state_ == State::kLost || !is_current_) return;
  notice(stored, now);
  renewed_ = sent;
  state_ = State::kLeader;
  tick(now);
}

Duration LeaderElection::nextRound(TimePoint now, double random) const {
  if (state_ == State::kLeader) return options_.retry_period;
  using Seconds = std::chrono::duration<double>;
  const auto spread =
      std::chrono::duration_cast<Duration>(Seconds(options_.retry_period) * (1 + kJitter * random));
  if (!has_seen_ || seen_.holder.empty()) return spread;
  // Not later than the other lease's expiry, so that a takeover is not one round late. If it has
  // expired already (the API server rejects our writes), with the usual pause.
  const Duration to_end = othersEnd() - now;
  return to_end > Duration::zero() ? std::min(spread, to_end) : spread;
}

std::optional<kube::LeaseRecord> LeaderElection::release(WallTime wall) const {
  if (state_ != State::kLeader) return std::nullopt;
  kube::LeaseRecord record = seen_;
  record.holder.clear();
  record.duration = std::chrono::seconds(1);
  record.renewed = wall;
  return record;
}

}  // namespace sumac::control
