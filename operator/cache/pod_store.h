#pragma once

#include <atomic>
#include <cstdint>
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

/// The pods as their watcher saw them last. It may hold ten thousand of them, so it keeps only one
/// label of each; the others were already read into fields.
class PodStore final : public PodCache, public kube::Sink {
 public:
  /// Called on the watcher's thread for each pod that was added, changed or removed. If a change
  /// moves a pod to another controller or label, it is also called with the old state, so that both
  /// jobs are reconciled.
  using Changed = std::function<void(const api::Pod&)>;

  /// `kept_label`: the label that names a pod's job.
  PodStore(std::string kept_label, Changed changed, const Log& log)
      : kept_label_(std::move(kept_label)), changed_(std::move(changed)), log_(log) {}

  std::vector<std::shared_ptr<const api::Pod>> ownedBy(const PodOwner& owner) const override;
  std::shared_ptr<const api::Pod> find(const api::ObjectKey& key) const;
  std::size_t size() const;
  /// Events and list items that could not be read, since the start.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  void replaceBegin() override;
  void upsert(const nlohmann::json& object) override;
  void replaceEnd() override;
  void remove(const nlohmann::json& last_state) override;

 private:
  using Pod = std::shared_ptr<const api::Pod>;

  /// Orders pods by name, so each name is stored once and found without a copy.
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

  /// Both return the pod that was there before; null if there was none.
  Pod put(const Pod& pod) SUMAC_REQUIRES(mutex_);
  Pod take(const api::ObjectKey& key) SUMAC_REQUIRES(mutex_);

  void report(const Pod& old, const Pod& now) const;

  const std::string kept_label_;
  const Changed changed_;
  const Log log_;
  std::atomic<std::uint64_t> refused_ = 0;

  // Owned by the watcher's thread: a list that is not complete yet.
  std::optional<Pods> list_;

  mutable Mutex mutex_;
  Pods pods_ SUMAC_GUARDED_BY(mutex_);
  std::map<PodOwner, Pods> by_owner_ SUMAC_GUARDED_BY(mutex_);
};

}  // namespace sumac::cache
