#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "operator/trainingjob/observed.h"

namespace sumac::trainingjob {

/// Why a create is not tried again before a time: refused, or the name is not free.
struct Hold {
  TimePoint until;
  Duration pause{};  // the last one; the next is twice as long
  std::optional<Refusal> refusal;
  bool is_foreign = false;  // somebody else's object has the name
};

/// A pod that we made and that the watch has not shown yet.
struct NewPod {
  std::shared_ptr<const api::Pod> pod;
  TimePoint until;  // no longer believed in: made and gone between two lists
};

/// What an operator knows of one job beside the caches. It may be lost at any time: what it holds
/// is read again or found out again. Touched by one pass at a time.
struct JobMemory {
  bool is_loaded = false;
  std::int64_t record_generation = 0;  // of the spec that `record` or `invalid_spec` came from
  std::optional<JobRecord> record;
  std::string invalid_spec;
  std::array<ChildState, 4> children{};  // by Child; kMissing first
  /// By what is created, "pod lenet5-worker-0".
  std::map<std::string, Hold> holds;
  std::int64_t holds_generation = 0;
  std::vector<std::string> deleting_uids;
  std::vector<NewPod> new_pods;

  ChildState& stateOf(Child child) { return children.at(static_cast<std::size_t>(child)); }

  /// Holds `what` back: for `first`, doubled each time in a row, at most two minutes. The caller
  /// says why in what is returned.
  Hold& hold(const std::string& what, TimePoint now, Duration first);
  bool isHeld(const std::string& what, TimePoint now) const;
  /// When the next hold ends, from now.
  std::optional<Duration> nextEnd(TimePoint now) const;
};

/// The memories of all jobs, by key. Safe from any thread.
class Memory {
 public:
  /// Of the job with this key and uid, made when it is new; another uid is another job, and what
  /// was known of its predecessor is forgotten.
  std::shared_ptr<JobMemory> of(const api::ObjectKey& key, const std::string& uid);
  void forget(const api::ObjectKey& key);
  std::size_t size() const;

 private:
  struct Entry {
    std::string uid;
    std::shared_ptr<JobMemory> memory;
  };

  mutable std::mutex mutex_;  // guards jobs_, not the memories
  std::map<api::ObjectKey, Entry> jobs_;
};

}  // namespace sumac::trainingjob
