#pragma once

#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "operator/trainingjob/policy/policies.h"

namespace sumac::trainingjob {

using std::chrono::seconds;

inline constexpr Slot kServer0{Role::kServer, 0};
inline constexpr Slot kWorker0{Role::kWorker, 0};
inline constexpr Slot kWorker1{Role::kWorker, 1};

/// How long a pod has to end, in seconds: what Kubernetes gives where nobody says more.
inline constexpr int kGraceSeconds = 30;

/// What a member writes at the end of a job that is complete.
inline constexpr const char* kResult =
    R"({"state":"Succeeded","steps":1200,"loss":"0.31","testAccuracy":"0.88"})";

/// A job of one server and two workers, its pods, and a clock: a cluster in which everything
/// happens at once, and only when the test says so. pass() is one pass of the operator.
struct JobFixture {
  JobFixture();

  api::TrainingJob job;
  JobRecord record;
  Observed observed;  // all but job, pods and record, which see() fills in
  std::vector<api::Pod> pods;
  std::vector<Slot> unseen;          // members that exist, and that the cache does not show
  std::vector<LookUpPod> looked_up;  // in order
  WallTime now;
  std::optional<WallTime> status_written;
  int next_uid = 1;
  int status_writes = 0;
  int creations = 0;
  std::vector<std::string> created;  // "server-0/0": slot and attempt, in order
  std::vector<std::string> deleted;  // names, in order; "!" before a forced one
  std::vector<kube::EventNote> events;

  Observed see() const;

  /// Plans, without doing anything.
  Decision look() const;

  /// Plans and does: actions, then the status, then events.
  Decision pass();

  /// Passes until there is nothing left to do.
  void settle();

  /// To Running: accepted, pods made, pods ready.
  void start();

  api::Pod& pod(Slot slot);
  bool hasPod(Slot slot) const;
  void makeReady();
  void makeOneReady();
  void end(Slot slot, int code, const std::string& message = {});
  void endAll(int code);
  void evict(Slot slot);

  /// Somebody deletes the pod: with a grace, or it is just gone.
  void askDeletion(Slot slot);
  void remove(Slot slot);

  /// All pods that are being deleted are gone.
  void letGo();

  const api::JobStatus& status() const { return job.status; }
  const api::Condition& condition(const std::string& type) const;
  bool hasEvent(const std::string& reason) const;
  void advance(seconds time) { now += time; }

  /// The restart after a failure: deletions in both waves, then creation, then all ready.
  void endPods();
  void replacePods();
  void restartFully();

 private:
  void create(const CreatePod& action);
  void erase(const DeletePod& action);
};

/// Whether a pass changes anything.
bool hasWork(const Decision& decision);

/// "worker-1".
std::string shortName(Slot slot);

}  // namespace sumac::trainingjob
