#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/objects.h"
#include "kube/api/quota.h"
#include "kube/api/training_job.h"

namespace sumac::cache {

/// The job that a pod names as its controller. The namespace is that of the pod: anybody may write
/// the uid of a job into a pod of another namespace.
struct PodOwner {
  std::string name_space;
  std::string uid;

  auto operator<=>(const PodOwner&) const = default;
};

/// The jobs as the watcher saw them last, with the fields that are used. Reconcilers read it, the
/// watcher writes it; safe from any thread. Objects are shared and never change.
class JobCache {
 public:
  virtual ~JobCache() = default;
  virtual std::shared_ptr<const api::TrainingJob> find(const api::ObjectKey& key) const = 0;
  /// Stores the answer to our own write. It is used until the watch delivers the same
  /// resourceVersion or lists again, so a pass never sees a status older than its own last write.
  virtual void overlay(std::shared_ptr<const api::TrainingJob> written) = 0;
};

/// The pods as the watcher saw them last. Same rules as JobCache.
class PodCache {
 public:
  virtual ~PodCache() = default;
  /// The pods of the owner's namespace whose controller has its uid: a new job does not see the
  /// pods of an old job with the same name.
  virtual std::vector<std::shared_ptr<const api::Pod>> ownedBy(const PodOwner& owner) const = 0;
};

/// The ResourceQuotas as the watcher saw them last. Same rules as JobCache.
class QuotaCache {
 public:
  virtual ~QuotaCache() = default;
  /// Nothing: it is not known, as before the first list, and without the right to read them.
  virtual std::optional<api::Quotas> of(const std::string& name_space) const = 0;
};

}  // namespace sumac::cache
