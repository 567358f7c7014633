#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "base/core/slot.h"
#include "operator/trainingjob/state/observed.h"

namespace sumac::trainingjob {

/// A create that is not retried before a time, because it was rejected or the name is not free.
struct Hold {
  TimePoint until;
  Duration pause{};  // the current one; the next is twice as long
  TimePoint first;   // when it began to be held, again and again
  std::optional<Refusal> refusal;
  bool is_foreign = false;  // an object of somebody else has the name
};

/// How long a request may fail before the status says so. Shorter troubles pass by themselves.
inline constexpr Duration kPassingTrouble = std::chrono::seconds(30);
/// How long what was rejected is held back at first.
inline constexpr Duration kRefusedPause = std::chrono::seconds(10);

/// How long a pod is believed to exist that no watch shows: after that it is looked up again, or
/// taken for one that was deleted before the watch could show it.
inline constexpr Duration kUnseenPod = std::chrono::seconds(30);

/// How holds name the deletion of a pod: by uid, as another pod may get the name.
std::string deletionOf(const std::string& pod_uid);

/// A pod that we created or looked up, and that the watch does not show yet.
struct NewPod {
  std::shared_ptr<const api::Pod> pod;
  TimePoint until;
};

/// A pod that the API server says is gone.
struct GonePod {
  Slot slot;
  int attempt = 0;
};

/// What the operator remembers of one job besides the caches. It may be lost at any time: all of it
/// can be read or found out again. Used by one pass at a time.
struct JobNotes {
  bool is_loaded = false;
  std::int64_t spec_generation = 0;  // of the spec that was read last
  std::optional<JobRecord> record;
  /// Whether `record` stands in the job's ConfigMap: from then on it never changes, whatever
  /// happens to the spec, to the children or to the operator. Before, each new spec gives a new
  /// one.
  bool is_pinned = false;
  std::optional<SpecProblem> problem;
  Readers readers;                                         // of this operator
  std::array<ChildState, kAllChildren.size()> children{};  // by Child; kMissing at first
  /// By kindAndName() of the object to read or create, or by deletionOf() the pod to delete.
  std::map<std::string, Hold> holds;
  std::int64_t holds_generation = 0;  // of the spec whose objects `holds` is about
  /// Since when each request, named like the holds, has failed without being rejected.
  std::map<std::string, TimePoint> failing;
  std::vector<std::string> deleting_uids;
  std::vector<std::string> forced_uids;     // of pods that we deleted by force
  std::optional<TimePoint> status_written;  // when we last wrote the status
  std::string newest_version;               // of the job, as the API server itself said last
  std::vector<NewPod> new_pods;
  std::vector<GonePod> gone_pods;
  std::shared_ptr<const Sizing> sizing;  // of the last decision

  /// Time has passed since the children were seen: each is looked up before it is used again.
  void doubtChildren() { children.fill(ChildState::kUnknown); }
  ChildState& stateOf(Child child) { return children.at(static_cast<std::size_t>(child)); }
  ChildState stateOf(Child child) const { return children.at(static_cast<std::size_t>(child)); }

  /// Notes what a look-up of this member's pod found; null: it is gone.
  void noteLookUp(Slot slot, int attempt, std::shared_ptr<const api::Pod> pod, TimePoint now);

  /// Notes that the request for `what` failed, and that a retry may succeed. Returns whether it has
  /// failed for kPassingTrouble: then it is held back like one that was rejected.
  bool noteFailure(const std::string& what, const Refusal& failure, TimePoint now);
  /// The request for `what` was answered.
  void noteAnswer(const std::string& what);
  /// A new attempt begins: what was rejected of the last one's pods says nothing about its own.
  void forgetPodHolds();
  /// Drops what is remembered of deletions of pods that are gone. `exists`: by uid.
  void forgetDeletions(const std::function<bool(const std::string& uid)>& exists);

  /// Holds `what` back for `first`, doubled with each hold in a row, at most two minutes. The
  /// caller puts the cause into the returned hold.
  Hold& hold(const std::string& what, TimePoint now, Duration first);
  bool isHeld(const std::string& what, TimePoint now) const;
  /// How long until the next hold ends; empty: there is none.
  std::optional<Duration> nextEnd(TimePoint now) const;
};

/// The notes of all jobs, by key. Safe from any thread.
class NotesOfJobs {
 public:
  /// The notes of the job with this key and uid, created on first use. A job with another uid is a
  /// new job: the notes of the old one are dropped.
  std::shared_ptr<JobNotes> of(const api::ObjectKey& key, const std::string& uid);
  void forget(const api::ObjectKey& key);

 private:
  struct Entry {
    std::string uid;
    std::shared_ptr<JobNotes> notes;
  };

  Mutex mutex_;
  std::map<api::ObjectKey, Entry> jobs_ SUMAC_GUARDED_BY(mutex_);  // the map, not the notes
};

}  // namespace sumac::trainingjob
