#pragma once

#include <optional>
#include <stop_token>

#include "common/api/objects.h"
#include "common/base/clock.h"

namespace sumac::control {

/// What one pass over one object left to do.
struct PassResult {
  bool failed = false;  // again after the key's back-off
  std::optional<Duration> again_after;
};

/// What the controller calls for each key, never twice at once for one key, from several threads.
/// Knows no queue, no thread, no lease: control/ knows nothing of training either.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual PassResult reconcile(const api::ObjectKey& key, const std::stop_token& stop) = 0;
};

}  // namespace sumac::control
