#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/simulation/sim_options.h"
#include "tests/integration/simulation/sim_server.h"
#include "tests/integration/simulation/sim_watch.h"
#include "tests/integration/simulation/sim_worker.h"

namespace sumac {

inline constexpr std::uint64_t kSimJob = 4711;
inline constexpr float kSimOverwritten = 1e30F;  // no gradient is as large

/// Leads to the newest process of the slot that listens.
inline std::string simEndpoint(Slot slot) {
  return "sim://" + toString(slot);
}
/// Where a process listens.
inline std::string simEndpoint(const SimOptions& options, const Member& process) {
  const std::string shared = simEndpoint(process.slot);
  return options.has_addresses ? shared + "/" + std::to_string(process.incarnation) : shared;
}

/// A whole job on a SimNetwork.
class SimJob {
 public:
  explicit SimJob(const SimOptions& options);
  SimJob(const SimJob&) = delete;
  SimJob& operator=(const SimJob&) = delete;

  SimNetwork& network() { return network_; }
  const SimCounts& counts() const { return network_.counts(); }
  JobMember& worker(int index) const { return workerAt(index).member(); }
  /// Who sums, server or worker.
  JobMember& server(int index) const {
    return servers_.empty() ? worker(index) : serverAt(index).member();
  }
  SimWatch& watch() { return watch_; }
  const SimWatch& watch() const { return watch_; }
  /// The process of this slot receives SIGTERM.
  void leave(Slot slot);
  /// It is killed.
  void kill(Slot slot) { kill(network_.newest(slot)); }
  void kill(const Member& process);
  /// Of this slot there is to be no other process.
  void giveUp(Slot slot) { gone_.insert(slot); }
  const std::set<Slot>& gone() const { return gone_; }
  /// A worker with the next index starts.
  void addWorker();
  /// A process of this slot starts, of a job that is to have so many workers by now. Of options
  /// with `is_operated`.
  Member startProcess(Slot slot, int workers);
  /// How this process ended by itself; none: it has not.
  std::optional<SimEnd> endOf(const Member& process) const;
  /// Another process of this slot starts after so long, at the same endpoint, unless one lives.
  void restartIn(Duration delay, Slot slot);
  /// The same in place of one that may live, unless there is another one already.
  void startAnotherIn(Duration delay, const Member& than);
  /// The same as restartIn(), once this one has ended, if it has not done its work.
  void restartAfter(const Member& process, Duration delay);
  int workers() const { return static_cast<int>(workers_.size()); }
  /// Runs until everyone alive has ended or two minutes of virtual time have passed.
  void run();
  /// The same until `isThere`.
  void runUntil(const std::function<bool()>& isThere, Duration most = std::chrono::minutes(2));

  const std::map<Slot, SimEnd>& ends() const { return ends_; }
  const std::vector<float>& weights(int worker) const { return workerAt(worker).weights(); }
  Step lastStep(int worker) const { return workerAt(worker).done(); }
  const SimFiles& files() const { return files_; }
  std::optional<Step> checkpoint() const { return files_.checkpoint; }
  const std::vector<std::string>& progress() const {
    return servers_.empty() ? workerAt(0).progress() : serverAt(0).progress();
  }
  std::uint32_t highestGeneration() const;
  /// How the first roster's algorithm was chosen.
  const std::optional<MethodChoice>& choice() const { return workerAt(0).choice(); }

 private:
  SimWorker& workerAt(int index) const { return *workers_.at(static_cast<std::size_t>(index)); }
  SimServer& serverAt(int index) const { return *servers_.at(static_cast<std::size_t>(index)); }
  void onEnd(const Member& member, const SimEnd& end);
  SimGround ground();
  std::unique_ptr<SimWorker> makeWorker(const Member& self);
  void restart(Slot slot);
  std::unique_ptr<SimServer> makeServer(const Member& self);
  void breakSometimes();
  bool isOver() const;
  bool isTooLate(Slot slot) const;
  bool allEnded() const;

  const SimOptions options_;
  SimNetwork network_;
  SimWatch watch_{options_, network_};
  SimFiles files_;
  std::vector<std::unique_ptr<SimWorker>> workers_;  // the newest of each slot
  std::vector<std::unique_ptr<SimServer>> servers_;
  std::vector<std::unique_ptr<SimWorker>> former_workers_;  // events may refer to them
  std::vector<std::unique_ptr<SimServer>> former_servers_;
  static constexpr Incarnation kBeforeRestarts = 1000;
  Incarnation lives_ = kBeforeRestarts;
  int wanted_ = 0;               // workers, as the last start of a process said
  int starting_ = 0;             // processes that are yet to start
  std::set<Slot> gone_;          // slots that were given up
  std::map<Slot, SimEnd> ends_;  // of the newest process of each slot
  std::map<Member, SimEnd> ends_of_all_;
};

}  // namespace sumac
