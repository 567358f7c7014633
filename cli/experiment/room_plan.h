#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/experiment/cell_object.h"
#include "kube/api/objects.h"

namespace sumac::cli {

// What room for fewer workers is in a cluster, decided without it: a ResourceQuota of the
// experiment's, and the eviction of the workers above it, as a pool of Spot machines takes them.

/// The name of the quota of an experiment: "sumac-experiment-0123456789".
std::string quotaNameOf(const ExperimentMark& mark);

/// A job that an experiment's objects go with.
struct OwningJob {
  std::string name;
  std::string uid;
};

/// The metadata of an object that belongs to a run of the experiment.
nlohmann::json ownedMetadata(const ExperimentMark& mark, const OwningJob& job,
                             const std::string& name);

/// The quota that lets the job's namespace have so many pods.
nlohmann::json quotaObject(const ExperimentMark& mark, const OwningJob& job, int pods);

/// What makes it one of another number; only of that very object.
nlohmann::json quotaChange(const std::string& uid, int pods);

/// Whether the API server admits pods by this number: it does so by the quota's status, which
/// Kubernetes' controller writes after a change.
bool isInForce(const nlohmann::json& quota, int pods);

/// Whether the quota is one of the experiment's.
bool isOf(const ExperimentMark& mark, const nlohmann::json& quota);

/// The workers that have to go where there is room for `room`: those with the highest indices, the
/// highest first. Pods that have ended, or are on their way out, take no room.
std::vector<api::Pod> workersAbove(const std::vector<api::Pod>& pods, int room);

/// An experiment's job that has not ended.
struct LivingJob {
  std::string name;
  std::string experiment;
  std::string folder;  // of the mark
};

/// What is to be done with a quota that is there before an experiment begins.
struct FoundQuota {
  std::string name;
  std::string uid;
  std::string experiment;            // its name; empty: unknown
  std::optional<LivingJob> used_by;  // may need the quota; nothing: the quota is to be removed
};

/// One for each quota with an experiment's label. An earlier start left ours; another experiment
/// left its own if it has no unfinished job.
std::vector<FoundQuota> foundQuotas(const std::vector<nlohmann::json>& quotas,
                                    const ExperimentMark& mine, const std::vector<LivingJob>& jobs);

/// Why an experiment cannot begin beside this quota. Requires one that is used.
std::string usedQuotaText(const FoundQuota& quota, const std::string& name_space);

/// Why a quota cannot be put on a namespace with these pods, which have not ended and are of none
/// of our jobs: names some of them. Empty where there are none.
std::string otherPodsText(const std::vector<api::Pod>& pods,
                          const std::vector<std::string>& our_jobs, const std::string& name_space);

}  // namespace sumac::cli
