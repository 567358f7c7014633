#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/mutex.h"
#include "base/log/log.h"
#include "kube/client/watcher.h"
#include "operator/cache/cache.h"

namespace sumac::cache {

/// The TrainingJobs as their watcher saw them last. Our own writes cover them until the watch
/// delivers them too. find() copies a job and parses its document, so a pass calls it once;
/// contains() does neither. Jobs that cannot be read are skipped, counted and logged. Thousands of
/// jobs may have ended: their documents are not kept.
class JobStore final : public JobCache, public kube::Sink {
 public:
  /// Called on the watcher's thread for each job that was added, changed or removed.
  using Changed = std::function<void(const api::ObjectKey&)>;

  JobStore(Changed changed, const Log& log) : changed_(std::move(changed)), log_(log) {}

  std::shared_ptr<const api::TrainingJob> find(const api::ObjectKey& key) const override;
  void overlay(std::shared_ptr<const api::TrainingJob> written) override;

  bool contains(const api::ObjectKey& key) const;
  /// The job that controls pods which name this owner; empty if it is unknown.
  std::optional<api::ObjectKey> keyOf(const PodOwner& owner) const;
  /// The jobs of a namespace that wait for room in a quota, as their statuses say.
  std::vector<api::ObjectKey> waitingForQuota(const std::string& name_space) const;
  std::size_t size() const;
  int countInState(const std::string& state) const;
  /// The number of jobs in each state, as the watch shows it. A job without a state counts as
  /// "New".
  std::map<std::string, int> countByState() const;
  /// Events and list items that could not be read, since the start.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  void replaceBegin() override;
  void upsert(const nlohmann::json& object) override;
  void replaceEnd() override;
  void remove(const nlohmann::json& last_state) override;

 private:
  /// A job without the tree of its document, but with its text. A tree takes 4 to 6 times the
  /// memory of an ordinary document's text, and 24 times that of a spoilt one ("" 87,000 times):
  /// whoever may create jobs must not be able to fill the operator's memory. A pass parses it once.
  struct Stored {
    api::TrainingJob job;
    std::string document;  // compact; empty: there is none
  };
  using Job = std::shared_ptr<const Stored>;
  using Keys = std::vector<api::ObjectKey>;

  struct Entry {
    Job seen;
    Job written;                        // our newest write; null: the watch has it
    std::set<std::string> superseded;   // versions that are older than `written`
    std::deque<std::string> delivered;  // newest versions from the watch, to recognise an old write
  };

  bool see(const Job& job) SUMAC_REQUIRES(mutex_);
  void keepOverlayOverList(Entry& entry, const api::TrainingJob& listed) SUMAC_REQUIRES(mutex_);
  bool erase(const api::ObjectKey& key) SUMAC_REQUIRES(mutex_);
  void count(const api::TrainingJob& job, int by) SUMAC_REQUIRES(mutex_);

  static Job pack(api::TrainingJob job);
  Job read(const nlohmann::json& object);

  const Changed changed_;
  const Log log_;
  std::atomic<std::uint64_t> refused_ = 0;

  // Owned by the watcher's thread: a list that is not complete yet.
  std::optional<std::map<api::ObjectKey, Job>> list_;

  mutable Mutex mutex_;
  std::map<api::ObjectKey, Entry> jobs_ SUMAC_GUARDED_BY(mutex_);
  std::map<PodOwner, api::ObjectKey> by_owner_ SUMAC_GUARDED_BY(mutex_);
  std::map<std::string, int> states_ SUMAC_GUARDED_BY(mutex_);
};

}  // namespace sumac::cache
