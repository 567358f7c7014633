#pragma once

#include <optional>
#include <stop_token>

#include "base/core/clock.h"
#include "kube/api/objects.h"

namespace sumac::control {

/// What remains to be done after one pass over one object.
struct PassResult {
  bool failed = false;  // retry after the key's back-off
  std::optional<Duration> again_after;
};

/// Called by the controller for each key, from several threads, but never twice at once for the
/// same key. It knows nothing of queues, threads and leases, and control/ knows nothing of
/// training.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual PassResult reconcile(const api::ObjectKey& key, const std::stop_token& stop) = 0;
};

}  // namespace sumac::control
