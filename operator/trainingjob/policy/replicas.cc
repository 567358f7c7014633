#include "operator/trainingjob/policy/replicas.h"

#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

void count(const Draft& draft, Role role, api::ReplicaStatus& replicas) {
  replicas = {.desired = replicas.desired};
  for (const auto& [slot, pod] : draft.view.current()) {
    if (slot.role != role) continue;
    if (!hasEnded(*pod)) {
      ++replicas.active;
      if (pod->is_ready && !draft.view.isBeingDeleted(*pod)) ++replicas.ready;
    } else {
      const bool ended_well = pod->terminated && pod->terminated->exit_code == 0;
      ++(ended_well ? replicas.succeeded : replicas.failed);
    }
  }
}

}  // namespace

void countReplicas(Draft& draft) {
  count(draft, Role::kWorker, draft.next.worker);
  count(draft, Role::kServer, draft.next.server);
}

void deriveColumns(Draft& draft) {
  api::JobStatus& next = draft.next;
  const std::string& name = draft.job.meta.key.name;
  next.observed_generation = draft.job.meta.generation;
  for (api::Condition& condition : next.conditions)
    condition.observed_generation = draft.job.meta.generation;
  next.state = stateOf(next);
  next.workers = std::to_string(next.worker.ready) + "/" + std::to_string(next.worker.desired);
  next.worker_selector = workerSelector(name);
  if (draft.observed.record) next.coordinator = podName(name, draft.view.coordinator());
}

}  // namespace sumac::trainingjob
