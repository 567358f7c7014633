#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "kube/api/objects.h"
#include "kube/client/client.h"
#include "kube/client/transport.h"

namespace sumac::kube {

/// What a coordination.k8s.io Lease says. Times are for people: whoever waits for a lease to end
/// goes by its own clock since the record last changed.
struct LeaseRecord {
  std::string holder;                 // empty: released
  std::chrono::seconds duration{15};  // at least 1: the API server refuses less
  std::optional<WallTime> acquired;
  std::optional<WallTime> renewed;
  int transitions = 0;           // changes of holder
  std::string resource_version;  // opaque; of what was read or written last

  bool operator==(const LeaseRecord&) const = default;
};

/// `record` is meant only without a failure. failure->isNotFound(): no such lease;
/// alreadyExists() or isConflict(): somebody was faster, read again; status 0: no answer, and a
/// write may have happened or not.
struct LeaseReply {
  LeaseRecord record;
  std::optional<Failure> failure;

  explicit operator bool() const { return !failure.has_value(); }
};

/// Reads and writes one Lease; the election itself is control's. Each call is one request within
/// its timeout, never repeated: the election's own clock decides when to try again. Owned by one
/// thread. An interface, so that elections are tested without sockets.
class LeaseClient {
 public:
  virtual ~LeaseClient() = default;
  virtual LeaseReply get(const std::stop_token& stop) = 0;
  virtual LeaseReply create(const LeaseRecord& record, const std::stop_token& stop) = 0;
  /// PUT with record.resource_version: a lease that has changed since is a conflict. Fields of the
  /// object that we do not know stay as they were read.
  virtual LeaseReply update(const LeaseRecord& record, const std::stop_token& stop) = 0;
};

/// `transport` outlives the client, and is one of its own: a stuck watch or a busy pool of
/// connections must not delay a renewal. `timeout` is at most half the renew deadline.
std::unique_ptr<LeaseClient> makeLeaseClient(Transport& transport, api::ObjectKey lease,
                                             Duration timeout);

}  // namespace sumac::kube
