#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/trainingjob/policy/policies.h"

namespace sumac::trainingjob {

/// Where the operator is killed in the middle of a pass.
enum class Cut { kNever, kBeforeActions, kInTheMiddle, kBeforeStatus, kAfterStatus };

/// What made an attempt end, as the simulation knows and the operator has to find out.
struct Injected {
  bool own = false;         // the process failed by itself, 75 and 143 without a cause included
  bool disruption = false;  // evicted, deleted by hand
  bool lost_node = false;   // silent: may be taken for either
  bool for_good = false;
  bool has_run = false;  // the status said Running when the first of these happened
};

/// One job in a cluster with an API server (resource versions, conflicts, graceful deletion), nodes
/// that play the members, users, and an operator whose caches of the job and of the pods lag behind
/// the truth and behind each other, and which is killed at any point. Throws InvariantViolation
/// when what the operator does breaks a rule of docs/design/job-life.md.
///
/// Assumed of the operator around plan(): lists are consistent, and it does not plan again with the
/// status from before its own write.
class SimulatedCluster {
 public:
  explicit SimulatedCluster(int servers);

  // Time, and what the caches see.
  void advance(int time);  // in seconds
  void deliverJob();
  void deliverPods(int count);

  // The operator.
  void pass(Cut cut, int action);
  void restartOperator();

  // Nodes: what pods do by themselves, one at a time.
  void startPod(int which);
  void endPod(int which);  // one that is being deleted, or lost its peers, or is complete
  void crash(int which, int code);
  void evict(int which);
  void loseNode(int which);
  void train(int steps);
  void completeTraining();

  // Users.
  void setSuspend(bool suspend);
  void setReplicas(int replicas);
  void deletePod(int which);
  void deleteChild(int which);

  /// A while without mishaps: all caches see everything, the operator plans, every pod does what it
  /// is about to do, 20 s pass. Returns whether anything changed.
  bool step();

  /// Lets everything run without further mishaps, until nothing changes; checks that nothing does.
  void converge();

  const api::JobStatus& status() const { return jobs_.back().status; }
  int writes() const { return writes_; }

 private:
  struct Event {
    std::string name;
    std::optional<api::Pod> pod;
  };

  Observed observe() const;
  void act(const Action& action);
  void create(const CreatePod& creation);
  void erase(const DeletePod& deletion);
  bool put(const api::JobStatus& status);
  void checkWrite(const api::JobStatus& before, const api::JobStatus& after);
  void checkCount(const api::JobStatus& before, const api::JobStatus& after);
  void publish(const std::string& name);
  void edit(const api::TrainingJob& job);
  api::Pod* pick(int which);
  bool isLost(const api::Pod& pod) const { return lost_.count(pod.meta.uid) > 0; }
  void noteInjection(const api::Pod& pod, bool Injected::*what);
  void finishProcess(api::Pod& pod, int code, const std::string& message);
  bool kubelets();

  Slot slot0() const { return {servers_ > 0 ? Role::kServer : Role::kWorker, 0}; }

  // The truth.
  const int servers_;
  std::vector<api::TrainingJob> jobs_;  // every version; the resource version is the index
  std::map<std::string, api::Pod> pods_;
  std::vector<Event> events_;
  std::set<std::string> lost_;       // pods on lost nodes, by uid
  std::set<int> broken_, complete_;  // attempts in which a member was lost; that wrote a result
  std::map<int, Injected> injected_;
  WallTime now_;
  std::int64_t steps_ = 0;
  int next_uid_ = 1;
  int writes_ = 0;

  // The operator's memory, lost when it is killed.
  std::size_t job_seen_ = 0;
  std::size_t job_needed_ = 0;
  std::size_t events_seen_ = 0;
  std::map<std::string, api::Pod> cache_;
  std::set<std::string> deleting_;
  ChildState children_[4] = {};
};

}  // namespace sumac::trainingjob
