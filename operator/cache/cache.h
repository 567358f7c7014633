#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/api/objects.h"
#include "common/api/training_job.h"

namespace sumac::cache {

/// What the watchers saw last, of the fields that are used. Read by reconcilers, written by
/// watchers; safe from any thread. Objects are shared and never changed.
class JobCache {
 public:
  virtual ~JobCache() = default;
  virtual std::shared_ptr<const api::TrainingJob> find(const api::ObjectKey& key) const = 0;
  /// After our own write: used until the watch delivers that very resourceVersion or lists again,
  /// so that a pass never sees the status before its own last write.
  virtual void overlay(std::shared_ptr<const api::TrainingJob> written) = 0;
};

class PodCache {
 public:
  virtual ~PodCache() = default;
  /// Pods whose controller has this uid: a successor of the same name does not see its
  /// predecessor's.
  virtual std::vector<std::shared_ptr<const api::Pod>> ownedBy(const std::string& uid) const = 0;
  virtual std::shared_ptr<const api::Pod> find(const api::ObjectKey& key) const = 0;
};

}  // namespace sumac::cache
