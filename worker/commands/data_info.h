#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "common/base/exit_code.h"

namespace sumac::worker {

/// What to describe: the data of a job document, or a folder of files in a format.
struct DataInfoOptions {
  std::string job_file;
  std::vector<std::string> sets;  // changes of the job
  std::string format;
  std::string path;
  std::string data_folder;  // of the bundled data sets
  bool json = false;
};

/// `sumac data info`: describes the data on `out`. Returns kBadConfiguration for a job with
/// problems and kFailed for data that cannot be loaded, with the reason on `err`.
ExitCode dataInfo(const DataInfoOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
