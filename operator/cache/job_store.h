#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/kube/watcher.h"
#include "common/log/log.h"
#include "operator/cache/cache.h"

namespace sumac::cache {

/// The TrainingJobs as their watcher saw them last, with our own writes laid over them until the
/// watch has them too. Jobs that cannot be read are left out, counted and logged: nobody acts on
/// what it does not understand.
class JobStore final : public JobCache, public kube::Sink {
 public:
  /// Called on the watcher's thread for each job that came, changed or went.
  using Changed = std::function<void(const api::ObjectKey&)>;

  JobStore(Changed changed, const Log& log) : changed_(std::move(changed)), log_(log) {}

  std::shared_ptr<const api::TrainingJob> find(const api::ObjectKey& key) const override;
  void overlay(std::shared_ptr<const api::TrainingJob> written) override;

  /// The job with this uid, as far as it is known.
  std::optional<api::ObjectKey> keyOf(const std::string& uid) const;
  std::size_t size() const;
  int countInState(const std::string& state) const;
  /// How many jobs there are in each state, as the watch has it; one that has none yet is "New".
  std::map<std::string, int> countByState() const;
  /// Events and list items that could not be read, since the start.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  void replaceBegin() override;
  void upsert(const nlohmann::json& object) override;
  void replaceEnd() override;
  void remove(const nlohmann::json& last_state) override;

 private:
  using Job = std::shared_ptr<const api::TrainingJob>;
  using Keys = std::vector<api::ObjectKey>;

  struct Entry {
    Job seen;
    Job written;                        // null: nothing laid over
    std::set<std::string> superseded;   // versions that are older than `written`
    std::deque<std::string> delivered;  // the newest versions, to see that a write is old news
  };

  /// All of these want mutex_ to be held.
  bool see(const Job& job);
  void keepOverlayOverList(Entry& entry, const api::TrainingJob& listed);
  bool erase(const api::ObjectKey& key);
  void count(const api::TrainingJob& job, int by);

  Job read(const nlohmann::json& object);

  const Changed changed_;
  const Log log_;
  std::atomic<std::uint64_t> refused_ = 0;

  // Of the watcher's thread: a list that is not complete yet.
  std::optional<std::map<api::ObjectKey, Job>> list_;

  mutable std::mutex mutex_;
  std::map<api::ObjectKey, Entry> jobs_;          // guarded by mutex_
  std::map<std::string, api::ObjectKey> by_uid_;  // guarded by mutex_
  std::map<std::string, int> states_;             // guarded by mutex_
};

}  // namespace sumac::cache
