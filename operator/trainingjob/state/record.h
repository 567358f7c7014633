#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/json_tree.h"
#include "base/core/result.h"
#include "base/core/slot.h"

namespace sumac::trainingjob {

/// What the chart or the command line sets for jobs that do not set it themselves.
struct Defaults {
  std::string worker_image;
  std::string server_image;
  std::string image_pull_policy;  // empty: the cluster's default
  JsonTree worker_template;       // PodTemplateSpec; the job's own template overrides it
  JsonTree server_template;
  std::string metrics_namespace;  // may scrape port 7071; empty: only the operator may
  std::string operator_namespace;

  bool operator==(const Defaults&) const = default;
};

/// The namespaces whose pods may read port 7071 of members, as the operator that runs now was told:
/// it, or its metrics, may have moved since the job began.
struct Readers {
  std::string operator_namespace;
  std::string metrics_namespace;

  bool areNone() const { return operator_namespace.empty() && metrics_namespace.empty(); }
  bool operator==(const Readers&) const = default;
};

Readers readersOf(const Defaults& defaults);

/// What a job is made of for its whole life, as its immutable ConfigMap holds it: neither new
/// defaults nor a new operator change it. A value type.
struct JobRecord {
  /// The resolved job, with all defaults and V (job::Reading::resolved), without its pod templates:
  /// those are read from the job itself when pods are made.
  JsonTree document;
  Defaults defaults;
  std::string operator_version;
  /// Which of the names of the job's Secret it has (secretName()).
  int secret_number = 0;

  // Read from the document, for decisions:
  int logical_workers = 1;  // V
  int servers = 0;          // 0: decentralised or all-reduce
  bool is_encrypted = true;
  /// Whether its members may come, go and be replaced within an attempt. Jobs that an earlier
  /// operator began cannot.
  bool changes_members = false;
  /// Whether the job's Secret holds a job token. Jobs that an earlier operator began have none.
  bool has_token = true;
  std::string checkpoint_path;  // empty: a restart begins at step 0
  std::string output_path;
  /// Whether the files written there outlive the pod. If not, a restart begins at step 0, and the
  /// model is lost with its pod.
  bool keeps_checkpoints = false;
  bool keeps_output = false;

  bool operator==(const JobRecord&) const = default;
};

/// Whether the job brings the sources of its program along, in a ConfigMap that the user made.
bool hasCode(const JobRecord& record);

/// Whether the job has a Secret. An earlier operator made none without encryption.
bool hasSecret(const JobRecord& record);

/// We may not read Secrets, so one whose name is taken may be anybody's, or ours from an earlier
/// spec with other slots. Then the keys get the next of these names, and the ConfigMap says which.
inline constexpr int kMostSecrets = 10;
std::string secretName(const std::string& job, const std::string& uid, const JobRecord& record);

/// `data` of the ConfigMap: "job.json" (which members read at /etc/sumac/job) and "operator.json".
nlohmann::json recordToData(const JobRecord& record);
/// Fails with kInvalid, naming the entry. The job itself is not validated again: a rule of a newer
/// operator does not apply to it.
Result<JobRecord> recordFromData(const nlohmann::json& data);

}  // namespace sumac::trainingjob
