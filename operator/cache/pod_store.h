#pragma once

#include <atomic>
#include <cstdint>
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

/// The pods as their watcher saw them last. Ten thousand of them are kept, so of the labels only
/// one stays: what the others say was read already.
class PodStore final : public PodCache, public kube::Sink {
 public:
  /// Called on the watcher's thread with each state that came or went: for a change with the old
  /// one too where it had another controller or label, so that both jobs look again.
  using Changed = std::function<void(const api::Pod&)>;

  /// `kept_label`: the one that names a pod's job.
  PodStore(std::string kept_label, Changed changed, const Log& log)
      : kept_label_(std::move(kept_label)), changed_(std::move(changed)), log_(log) {}

  std::vector<std::shared_ptr<const api::Pod>> ownedBy(const std::string& uid) const override;
  std::shared_ptr<const api::Pod> find(const api::ObjectKey& key) const override;
  std::size_t size() const;
  /// Events and list items that could not be read, since the start.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  void replaceBegin() override;
  void upsert(const nlohmann::json& object) override;
  void replaceEnd() override;
  void remove(const nlohmann::json& last_state) override;

 private:
  using Pod = std::shared_ptr<const api::Pod>;

  /// By name, so that a name is kept once and found without a copy.
  struct ByKey {
    using is_transparent = void;
    static const api::ObjectKey& keyOf(const Pod& pod) { return pod->meta.key; }
    static const api::ObjectKey& keyOf(const api::ObjectKey& key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return keyOf(a) < keyOf(b);
    }
  };
  using Pods = std::set<Pod, ByKey>;

  Pod read(const nlohmann::json& object);
  bool haveSameJob(const api::Pod& a, const api::Pod& b) const;

  /// These want mutex_ to be held; each returns what was there before.
  Pod put(const Pod& pod);
  Pod take(const api::ObjectKey& key);

  void report(const Pod& old, const Pod& now) const;

  const std::string kept_label_;
  const Changed changed_;
  const Log log_;
  std::atomic<std::uint64_t> refused_ = 0;

  // Of the watcher's thread: a list that is not complete yet.
  std::optional<Pods> list_;

  mutable std::mutex mutex_;
  Pods pods_;                             // guarded by mutex_
  std::map<std::string, Pods> by_owner_;  // by the controller's uid; guarded by mutex_
};

}  // namespace sumac::cache
