#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "common/base/exit_code.h"

namespace sumac::worker {

/// `sumac data info`: a job document, or a format and a folder.
struct DataInfoOptions {
  std::string job_file;
  std::vector<std::string> sets;  // changes of the job
  std::string format;
  std::string path;
  std::string data_folder;  // of the data sets that come with the product
  bool json = false;
};

/// Prints what the data are. Returns kBadConfiguration for a job with problems, kFailed for data
/// that cannot be loaded, and says why on `err`.
ExitCode dataInfo(const DataInfoOptions& options, std::ostream& out, std::ostream& err);

/// `sumac data generate`.
struct DataGenerateOptions {
  std::string format;  // idx, cifar10 or text
  std::string folder;
  std::int64_t samples = 1000;
  std::optional<std::int64_t> test_samples;  // a fifth
  std::vector<std::int64_t> shape;           // 1x28x28; of cifar10 always 3x32x32
  int classes = 10;
  bool gzip = false;  // idx only
  std::int64_t tokens = 100'000;
  std::optional<std::int64_t> test_tokens;  // a tenth
  int vocabulary = 1000;
  std::uint64_t seed = 1;
};

/// Writes new files and prints their paths. Returns kUsage when the options ask for what cannot be
/// or files are there already, kFailed when they cannot be written.
ExitCode dataGenerate(const DataGenerateOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
