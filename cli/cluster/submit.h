#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/object_text.h"

namespace sumac::cli {

enum class DryRun { kNone, kClient, kServer };

struct SubmitOptions {
  std::string file;               // "-": standard input
  std::vector<std::string> sets;  // "path=value"
  DryRun dry_run = DryRun::kNone;
  bool wait = false;   // to the end of the job
  bool watch = false;  // the same, with its progress
  Form form = Form::kTable;
};

/// A document that was read and checked as `sumac validate` does, ready to be sent.
struct Submission {
  nlohmann::json object;
  std::string name;
  std::string name_space;  // empty: the document names none
  std::vector<std::string> warnings;
};

/// Warnings include what the job loses with its pods. Fails with all problems in one message.
Result<Submission> readSubmission(const std::string& text, const std::string& file,
                                  const std::vector<std::string>& sets);

/// `sumac submit`: checks the document here, then creates the job. Returns an ExitCode: kDone,
/// kUsage where the file cannot be read, kBadConfiguration for a document with problems, kFailed
/// where the cluster rejects it; with wait or watch that of the job's result, kFailed if it was
/// deleted, or kInterrupted after Ctrl-C: the job then continues. `cluster` may be null for
/// DryRun::kClient: no cluster is needed then.
int submit(const Cluster* cluster, const SubmitOptions& options, const Console& console);

}  // namespace sumac::cli
