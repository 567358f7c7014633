#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/mutex.h"
#include "base/log/log.h"
#include "kube/client/watcher.h"
#include "operator/cache/cache.h"

namespace sumac::cache {

/// The ResourceQuotas as their watcher saw them last. The operator can do without: where it may not
/// list them, that is logged once, and nothing is known of any.
class QuotaStore final : public QuotaCache, public kube::Sink {
 public:
  /// Called on the watcher's thread where a quota of the namespace has more room than before, or is
  /// gone.
  using HasRoom = std::function<void(const std::string& name_space)>;

  QuotaStore(HasRoom has_room, const Log& log) : has_room_(std::move(has_room)), log_(log) {}

  std::optional<api::Quotas> of(const std::string& name_space) const override;
  std::size_t size() const;
  /// Events and list items that could not be read, since the start.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  void replaceBegin() override;
  void upsert(const nlohmann::json& object) override;
  void replaceEnd() override;
  void remove(const nlohmann::json& last_state) override;
  void forbid(const std::string& why) override;

 private:
  using Quota = std::shared_ptr<const api::ResourceQuota>;
  using ByKey = std::map<api::ObjectKey, Quota>;

  Quota read(const nlohmann::json& object);
  void report(const Quota& old, const Quota& now) const;

  const HasRoom has_room_;
  const Log log_;
  std::atomic<std::uint64_t> refused_ = 0;

  // Owned by the watcher's thread.
  std::optional<ByKey> list_;  // that is not complete yet
  bool has_told_ = false;      // that they are forbidden

  mutable Mutex mutex_;
  std::optional<ByKey> quotas_ SUMAC_GUARDED_BY(mutex_);  // nothing: not known
};

}  // namespace sumac::cache
