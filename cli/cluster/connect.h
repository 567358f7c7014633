#pragma once

#include <memory>
#include <stop_token>

#include "base/core/result.h"
#include "base/log/log.h"
#include "cli/cluster/cluster.h"
#include "kube/client/config.h"

namespace sumac::cli {

/// A cluster with its connection. Owned by main; cluster() must not be used after its end.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual const Cluster& cluster() const = 0;
};

/// Finds the cluster as kubectl does. Sends nothing yet. `stop` ends calls and waits. Fails with a
/// message for people.
Result<std::unique_ptr<Connection>> connect(const kube::ConfigOptions& options,
                                            std::stop_token stop, const Log& log);

}  // namespace sumac::cli
