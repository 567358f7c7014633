#pragma once

#include <string>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/cluster/object_text.h"

namespace sumac::cli {

struct GetOptions {
  std::vector<std::string> names;  // empty: all
  bool all_namespaces = false;
  std::string selector;
  Form form = Form::kTable;
  bool watch = false;
};

/// `sumac get`: jobs as a table, their names, or whole. With `watch` it then prints
/// changes until Ctrl-C. Returns an ExitCode: kDone, kFailed where a job does not exist or cannot
/// be read.
int get(const Cluster& cluster, const GetOptions& options, const Console& console);

}  // namespace sumac::cli
