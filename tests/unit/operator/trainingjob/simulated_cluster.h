#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/trainingjob/apply/apply.h"
#include "operator/trainingjob/observe/observe.h"
#include "operator/trainingjob/policy/policies.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/operator/trainingjob/fake_cluster.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

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

/// The pods that the operator's watch has shown.
struct SeenPods final : cache::PodCache {
  std::vector<std::shared_ptr<const api::Pod>> ownedBy(const cache::PodOwner& owner) const override;
  std::map<std::string, api::Pod> pods;
};

/// Whether the pod's main process runs.
inline bool isAlive(const api::Pod& pod) {
  return pod.is_running && !pod.terminated;
}

/// Whether two statuses differ only in what a job that sizes itself has observed.
bool isCourseAlone(const api::JobStatus& before, const api::JobStatus& after);

/// What happens to a job, and how many pods it has, depends on this.
struct SimulatedJob {
  int servers = 0;  // without them worker 0 coordinates
  /// One of fixed size has as many parts as it has workers at its start.
  bool is_elastic = false;
  bool changes_members = false;  // the others train on while a worker lives
  bool sizes_itself = false;     // if it is elastic
  bool reads_quotas = false;     // the operator may
};

/// More pods than any job here has.
inline constexpr int kRoomy = 100;

/// One job in a cluster with an API server (resource versions, conflicts, graceful deletion), nodes
/// that play the members, users, and an operator whose caches of the job and of the pods lag behind
/// the truth and behind each other, and which is killed at any point. Throws InvariantViolation
/// when what the operator does breaks a rule of docs/design/job-life.md.
///
/// The operator's record, observations and children are those of the real code, with the notes
/// that it loses when it is killed; pods are played here, with their lives and deaths.
///
/// Assumed of the operator around decide(): lists are consistent, and it does not decide again
/// with the status from before its own write.
class SimulatedCluster {
 public:
  explicit SimulatedCluster(const SimulatedJob& kind);

  // Time, and what the caches see.
  void advance(int time);  // in seconds
  void deliverJob();
  void deliverPods(int count);

  // The operator.
  void pass(Cut cut, int action);
  void restartOperator();
  /// Another operator takes over, whose cache of pods is that many changes old.
  void takeOver(int lag);

  // Nodes: what pods do by themselves, one at a time.
  void startPod(int which);
  void endPod(int which);  // one that is being deleted, or lost its peers, or is complete
  void crash(int which, int code);
  void evict(int which);
  void loseNode(int which);
  /// The nodes have room for so many pods; those that are there stay.
  void setRoom(int pods) { room_ = pods; }
  /// The API server takes so many pods.
  void setQuota(int pods) { quota_ = pods; }
  void train(int steps);
  void completeTraining();

  // Users.
  void setSuspend(bool suspend);
  void setReplicas(int replicas);
  /// Whether the job chooses its number of workers, where it is one that does.
  void setAutoscaling(bool is_on);
  /// As many workers as the job may have, when there is room for those that run and no more.
  void growInVain();
  void deletePod(int which);
  void deleteChild(int which);

  /// A while without mishaps: all caches see everything, the operator plans, every pod does what it
  /// is about to do, 20 s pass. Returns whether anything changed.
  bool step();

  /// Lets everything run without further mishaps, until nothing changes; checks that nothing does.
  void converge();

  const api::JobStatus& status() const { return jobs_.back().status; }
  int writes() const { return writes_; }
  /// Whether a larger number of workers found no room.
  bool hasGoneBack() const { return has_gone_back_; }

 private:
  struct Event {
    std::string name;
    std::optional<api::Pod> pod;
  };

  Observed observe();
  void showProgress(const api::JobStatus& status);
  /// Returns whether the pass goes on after these.
  bool act(const std::vector<Action>& actions);
  bool createChildren(const Decision& children);
  void lookUp(const LookUpPod& wanted);
  void checkRecord();
  void create(const CreatePod& creation);
  bool isRefused(const std::string& pod);
  void forgetHolds(const std::vector<Action>& actions);
  void erase(const DeletePod& deletion);
  bool put(const api::JobStatus& status);
  void checkWrite(const api::JobStatus& before, const api::JobStatus& after);
  void checkReplaced(const api::JobStatus& before, const api::JobStatus& after);
  void checkCount(const api::JobStatus& before, const api::JobStatus& after);
  void checkSizing(const api::JobStatus& before, const api::JobStatus& after);
  void publish(const std::string& name);
  void edit();
  api::Pod* pick(int which);
  bool isLost(const api::Pod& pod) const { return lost_.count(pod.meta.uid) > 0; }
  bool trainsOn(const api::Pod& lost) const;
  int livingWorkers() const;
  bool waitsForRoom(const api::Pod& pod) const;
  void noteLoss(const api::Pod& lost);
  void noteInjection(const api::Pod& pod, bool Injected::*what);
  void finishProcess(api::Pod& pod, int code, const std::string& message);
  bool kubelets();
  bool schedule(api::Pod& pod);
  void makeRoom();

  Slot slot0() const { return {kind_.servers > 0 ? Role::kServer : Role::kWorker, 0}; }

  // The truth.
  const SimulatedJob kind_;
  nlohmann::json manifest_;  // as users wrote it last
  FakeCluster children_;
  std::optional<int> parts_;            // V, as the ConfigMap has it until somebody deletes that
  std::vector<api::TrainingJob> jobs_;  // every version; the resource version is the index
  std::map<std::string, api::Pod> pods_;
  std::vector<Event> events_;
  int room_ = kRoomy;
  int quota_ = kRoomy;
  std::set<std::string> lost_;       // pods on lost nodes, by uid
  std::set<int> broken_, complete_;  // attempts in which a member was lost; that wrote a result
  std::map<int, Injected> injected_;
  WallTime now_;
  std::int64_t steps_ = 0;
  double compute_seconds_ = 0, exchange_seconds_ = 0;
  MembershipReport roster_;
  int next_uid_ = 1;
  int writes_ = 0;
  std::size_t courses_ = 0;  // writes of what a job that sizes itself has observed alone
  bool has_gone_back_ = false;
  std::set<std::string> handled_;  // pods whose failure the status has counted, by uid

  // The operator's notes, lost when it is killed.
  std::size_t job_seen_ = 0;
  std::size_t job_needed_ = 0;
  std::size_t events_seen_ = 0;
  SeenPods cache_;
  FixedQuotas quotas_;
  JobNotes notes_;
  ManualClock clock_;
  FixedProgress progress_;
  RecordingEvents told_;
  Executor executor_{0};
  const ObserveParts observe_;
  const ApplyParts apply_;
};

}  // namespace sumac::trainingjob
