#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/core/exit_code.h"

namespace sumac::worker {

/// The files to generate.
struct DataGenerateOptions {
  std::string format;  // idx, cifar10, folder, csv or text
  std::string folder;
  std::int64_t samples = 1000;
  std::optional<std::int64_t> test_samples;  // absent: a fifth
  std::vector<std::int64_t> shape;           // 1x28x28; 3x32x32 of cifar10, folder; 8 of csv
  int classes = 10;
  bool gzip = false;  // idx only
  std::int64_t tokens = 100'000;
  std::optional<std::int64_t> test_tokens;  // absent: a tenth
  int vocabulary = 1000;
  std::uint64_t seed = 1;
};

/// `sumac data generate`: writes new files and prints their paths. Returns kUsage if the options do
/// not fit the format or the files exist already, and kFailed if they cannot be written, with the
/// reason on `err`.
ExitCode dataGenerate(const DataGenerateOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sumac::worker
