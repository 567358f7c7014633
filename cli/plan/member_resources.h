#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/document/training_job.h"
#include "planner/advice/advice.h"
#include "planner/advice/question.h"

namespace sumac::cli {

/// What a member's pod asks for, as Kubernetes writes it.
struct MemberResources {
  std::string cpu;           // a request, "1800m"
  std::string memory;        // a request, "128Mi"
  std::string memory_limit;  // empty: what the member needs in all is not known

  bool operator==(const MemberResources&) const = default;
};

/// The bytes of a data set that each worker reads into memory; nothing where the document does not
/// tell.
std::optional<std::int64_t> dataBytes(const job::DataSpec& data);

/// Of a worker of the recommended configuration: the threads that compute, but at most what the
/// node's own programs leave of the machine's cores (a tenth, at least 0.2 of a core); the memory
/// of the configuration. Where all members share a machine, each has its share. Requires an answer
/// with a recommended configuration, here and below.
MemberResources workerResources(const planner::AdviceQuestion& question,
                                const planner::Advice& advice);

/// The same of a server, which computes with one thread.
MemberResources serverResources(const planner::AdviceQuestion& question,
                                const planner::Advice& advice);

/// These rules in sentences, for who reads the manifest, and what to add.
std::vector<std::string> resourceNotes(const planner::AdviceQuestion& question);

}  // namespace sumac::cli
