#pragma once

#include <string>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/cluster/object_text.h"

namespace sumac::cli {

enum class DryRun { kNone, kClient, kServer };

struct SubmitOptions {
  std::string file;               // "-": standard input
  std::vector<std::string> sets;  // "path=value"
  std::string code;               // folder of the program's sources; empty: none are sent
  DryRun dry_run = DryRun::kNone;
  bool wait = false;   // to the end of the job
  bool watch = false;  // the same, with its progress
  Form form = Form::kTable;
};

/// `sumac submit`: checks the document here, then creates the job, and then the ConfigMap of its
/// sources, which belongs to it: if this ends between the two, the job waits, nothing else is left,
/// and the same command sends what is missing. Returns an ExitCode: kDone,
/// kUsage where the file cannot be read, kBadConfiguration for a document with problems, kFailed
/// where the cluster rejects it; with wait or watch that of the job's result, kFailed if it was
/// deleted, or kInterrupted after Ctrl-C: the job then continues. `cluster` may be null for
/// DryRun::kClient: no cluster is needed then.
int submit(const Cluster* cluster, const SubmitOptions& options, const Console& console);

}  // namespace sumac::cli
