#pragma once

#include <optional>
#include <ostream>
#include <stop_token>
#include <string>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "cli/experiment/room_plan.h"
#include "kube/client/client.h"

namespace sumac::cli {

/// The ResourceQuota of a run, in the cluster's namespace. Its destruction removes it; where this
/// process does not live so long, it goes with its job, or the next experiment removes it. A quota
/// of that name which is not the experiment's is never changed. Owned by the run; used by one
/// thread at a time.
class ExperimentQuota {
 public:
  /// `cluster` outlives us. Nothing is there yet.
  ExperimentQuota(const Cluster& cluster, ExperimentMark mark, OwningJob job);
  ~ExperimentQuota();
  ExperimentQuota(const ExperimentQuota&) = delete;
  ExperimentQuota& operator=(const ExperimentQuota&) = delete;

  /// Lets the namespace have so many pods, and waits until the API server admits by that; for a
  /// minute at most, and not after `stop`. Fails with a message for people.
  Result<void> set(int pods, const std::stop_token& stop);

  /// Removes it, for a minute at most. Returns what people should know where it may still be there;
  /// empty: it is not.
  std::string remove();

 private:
  api::ObjectKey key() const { return {cluster_.name_space, quotaNameOf(mark_)}; }
  std::optional<kube::Failure> write(int pods);
  std::optional<kube::Failure> create(int pods);
  std::optional<kube::Failure> tryToRemove();
  bool isInForce(int pods) const;
  Error refused(const kube::Failure& failure) const;

  const Cluster& cluster_;  // outlives us
  const ExperimentMark mark_;
  const OwningJob job_;
  bool may_exist_ = false;
  std::string uid_;  // empty: not known
};

/// Removes the quotas that earlier experiments left in the cluster's namespace, and reports them on
/// `err`: ours, and those of experiments without an unfinished job. Fails if another experiment may
/// be using one, and if the cluster refuses. Missing rights to read quotas are a failure only if
/// `is_needed`.
Result<void> removeLeftQuotas(const Cluster& cluster, const ExperimentMark& mine, bool is_needed,
                              std::ostream& err);

}  // namespace sumac::cli
