#pragma once

#include <iosfwd>
#include <string>

namespace sumac::cli {

struct InitOptions {
  std::string data;               // a folder; empty: a data set that comes with Sumac
  std::string label;              // the column of a table with the classes; empty: the likely one
  std::string file = "job.yaml";  // "-": standard output
};

/// `sumac init`: writes a job for the data to a file that was not there before, and says to `out`
/// what it found and what to do next; with "-" the job is on `out`, all else on `err`. Returns
/// kDone, kUsage where the file exists, kFailed where it cannot be written, or kBadConfiguration
/// where the data cannot be trained on.
int init(const InitOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::cli
