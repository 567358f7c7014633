#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "job/document/program_code.h"
#include "kube/api/objects.h"

namespace sumac::cli {

/// The sources that a job brings along.
struct JobCode {
  job::CodeFiles files;
  std::string sha256;  // codeHash() of them
};

/// "3 files, 12 KiB, SHA-256 1f0a...".
std::string codeText(const JobCode& code);

/// The section spec.program.code.
nlohmann::json codeSection(const JobCode& code);

/// The immutable ConfigMap with the sources of the job with this uid, whose garbage it becomes.
nlohmann::json codeMap(const JobCode& code, const api::ObjectKey& job, const std::string& uid);

/// Whether the namespace takes a ConfigMap of these sources: asks, and makes none. Before the job
/// is created, so that rights, quotas and webhooks leave no job without its sources. Fails with a
/// message for people.
Result<void> askForCode(const Cluster& cluster, const JobCode& code, const api::ObjectKey& job);

enum class Sent { kNow, kBefore };

/// Makes the ConfigMap of a job that exists, if it is not there. Fails with a message for people,
/// and with kConflict where an object of somebody else has the name.
Result<Sent> sendCode(const Cluster& cluster, const JobCode& code, const api::ObjectKey& job,
                      const std::string& uid);

}  // namespace sumac::cli
