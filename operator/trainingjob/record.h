#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "common/api/training_job.h"
#include "common/base/result.h"

namespace sumac::trainingjob {

/// What the chart or the command line gives every job that says nothing else.
struct Defaults {
  std::string worker_image;
  std::string server_image;
  std::string image_pull_policy;       // empty: the cluster's rule
  std::string worker_template = "{}";  // PodTemplateSpec as JSON: the chart's, below the job's own
  std::string server_template = "{}";
  std::string metrics_namespace;  // may scrape 7071; empty: nobody but the operator
  std::string operator_namespace;

  bool operator==(const Defaults&) const = default;
};

/// What a job is made of for all its life, as its immutable ConfigMap holds it: later defaults and
/// later operators change nothing of it. A value type.
struct JobRecord {
  /// The resolved job, all defaults and V, as JSON (job::Reading::resolved), without its templates:
  /// those are taken from the job itself, as they are when pods are made.
  std::string document;
  Defaults defaults;
  std::string operator_version;

  // Read from the document, for decisions:
  int logical_workers = 1;  // V
  int servers = 0;          // 0: decentralised or all-reduce
  bool is_encrypted = true;
  std::string checkpoint_path;  // empty: a restart begins at step 0
  std::string output_path;
  /// Whether what is written there outlives a pod: without, a restart begins at step 0, and the
  /// model goes with its pod.
  bool keeps_checkpoints = false;
  bool keeps_output = false;

  bool operator==(const JobRecord&) const = default;
};

/// Resolves and checks a new job, templates included. Fails with kInvalid and all problems, one a
/// line: InvalidSpec.
Result<JobRecord> makeRecord(const api::TrainingJob& job, const Defaults& defaults);

/// data of the ConfigMap: "job.json" (what members read at /etc/sumac/job), "operator.json".
nlohmann::json recordToData(const JobRecord& record);
/// Fails with kInvalid, naming the entry. The job is not checked again: rules of later operators do
/// not concern it.
Result<JobRecord> recordFromData(const nlohmann::json& data);

}  // namespace sumac::trainingjob
