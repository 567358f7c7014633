#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "kube/api/objects.h"
#include "kube/client/resource.h"
#include "kube/client/transport.h"

namespace sumac::cli {

/// Which members' logs to print, and how much of each.
struct LogChoice {
  std::string job;
  std::optional<Role> role;
  std::optional<int> index;
  std::optional<int> attempt;
  std::optional<int> tail;  // -1: all lines, as for kubectl
  std::optional<std::chrono::seconds> since;
  bool has_times = false;
};

/// Puts "worker-1", "server" or "lenet5-worker-1" into a choice of role and index. Fails with
/// kInvalid on anything else, and where it contradicts what the choice has already.
Result<LogChoice> withMember(LogChoice choice, const std::string& member);

bool isChosen(const LogChoice& choice, const api::Pod& pod);

/// Whether its main container has started or ended, so that there is a log.
bool hasLog(const api::Pod& pod);

/// The request for a pod's log. `since` is a time of LogCursor; where it is not empty it takes the
/// place of the choice's tail and since. `has_times`: a time before each line.
kube::Request logRequest(const LogChoice& choice, const api::ObjectKey& pod, bool follow,
                         bool has_times, const std::string& since);

/// "[worker-1] ", in the member's own colour if colours are on.
std::string prefixOf(Slot slot, bool has_color);

}  // namespace sumac::cli
