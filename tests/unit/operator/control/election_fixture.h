#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/core/wall_time.h"
#include "operator/control/leader_election.h"

namespace sumac::control {

inline const TimePoint kStart{std::chrono::seconds(1000)};
inline const WallTime kNoon = parseRfc3339("2026-01-31T12:00:00Z").value();

inline ElectionOptions optionsOf(const std::string& identity) {
  ElectionOptions options;
  options.identity = identity;
  return options;
}

inline kube::LeaseRecord heldBy(const std::string& holder, const std::string& version,
                                WallTime renewed = kNoon) {
  kube::LeaseRecord record;
  record.holder = holder;
  record.duration = std::chrono::seconds(15);
  record.acquired = kNoon;
  record.renewed = renewed;
  record.transitions = 3;
  record.resource_version = version;
  return record;
}

using Written = LeaderElection::Written;

/// The Lease object and the candidates that fight for it, each with a wall clock of its own.
class Server {
 public:
  bool is_away = false;

  std::optional<kube::LeaseRecord> lease() const { return lease_; }
  const std::vector<TimePoint>& writes(const std::string& who) { return writes_[who]; }

  LeaderElection::Seen get() const { return {is_away ? std::nullopt : lease_, is_away}; }

  /// A PUT or POST as the API server judges it; what is stored now goes to `stored`.
  Written put(const LeaderElection::Write& write, TimePoint now, kube::LeaseRecord& stored) {
    if (is_away) return Written::kFailed;
    const bool fits = write.create
                          ? !lease_.has_value()
                          : lease_ && lease_->resource_version == write.record.resource_version;
    if (!fits) return Written::kConflict;
    lease_ = write.record;
    lease_->resource_version = std::to_string(++version_);
    writes_[write.record.holder].push_back(now);
    stored = *lease_;
    return Written::kDone;
  }

  void remove() { lease_.reset(); }

 private:
  std::optional<kube::LeaseRecord> lease_;
  int version_ = 0;
  std::map<std::string, std::vector<TimePoint>> writes_;
};

struct Candidate {
  explicit Candidate(const std::string& name, Duration wall_skew = {})
      : election(optionsOf(name)), skew(wall_skew) {}

  void round(Server& server, TimePoint now, Duration latency = {}) {
    const auto wall =
        kNoon + std::chrono::duration_cast<std::chrono::microseconds>((now - kStart) + skew);
    auto write = election.renewal(now, wall);
    if (write && put(server, *write, now, latency) != Written::kConflict) return;
    write = election.observe(server.get(), now, wall);
    if (write) put(server, *write, now, latency);
  }

  Written put(Server& server, const LeaderElection::Write& write, TimePoint now, Duration latency) {
    kube::LeaseRecord stored;
    const Written result = server.put(write, now, stored);
    election.wrote(result, stored, now, now + latency);
    return result;
  }

  bool leads(TimePoint now) {
    election.tick(now);
    return election.state() == LeaderElection::State::kLeader;
  }

  LeaderElection election;
  Duration skew;
};

}  // namespace sumac::control
