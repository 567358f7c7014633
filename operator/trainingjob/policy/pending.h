#pragma once

#include "operator/trainingjob/policy/creation.h"

namespace sumac::trainingjob {

/// Why not all pods of the attempt run yet. The first that applies of: a name is taken, a template
/// was changed, a pod of an earlier attempt is not deleted in time, the API server rejected a
/// request, a pod waits for something that needs attention. Empty: the pods start normally.
std::optional<Obstacle> findPendingReason(const Draft& draft);

/// Which pod of the attempt the cluster has no room for, and why: no node fits it, or a quota
/// rejects it. Empty: there is none.
std::optional<Obstacle> findLackOfRoom(const Draft& draft);

/// The same of a pod that a quota rejects.
std::optional<Obstacle> findQuotaLack(const Draft& draft);

/// Puts into condition Running what rejects or fails the operator's requests, while nothing else
/// about the pods can be decided, or there is nothing else to say. Without such trouble, or without
/// conditions, changes nothing.
void showTrouble(Draft& draft);

/// Why the pods of a job that is being suspended do not end; empty: they end normally.
std::optional<Obstacle> findStuckDeletion(const Draft& draft);

/// Updates the conditions Running and Restarting of a job that is neither finished nor suspended.
/// Running is True from when all pods are ready at the same time until the attempt ends.
void updateRunning(Draft& draft);

}  // namespace sumac::trainingjob
