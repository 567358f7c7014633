#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "job/document/program_code.h"

namespace sumac::cli {

/// The sources below a folder, and what of it is none.
struct CodeFolder {
  job::CodeFiles files;
  /// What was left out and why, "data/big.bin (100 KiB, no text)"; hidden files, caches of Python
  /// and environments are counted, not named.
  std::vector<std::string> skipped;
};

/// Reads the sources for `sumac submit --code DIR`. Left out are hidden files and folders,
/// __pycache__, Python's environments, links, what is neither file nor folder, files of more than
/// 64 KiB that are no text, and paths that isCodePath() refuses. Fails with kInvalid where a link
/// leads out of the folder, where there is nothing left, or too much of it, and as errorCodeOf()
/// says. `image` is what the Dockerfile in the message begins with, in place of a ConfigMap.
Result<CodeFolder> readCodeFolder(const std::filesystem::path& folder, const std::string& image);

}  // namespace sumac::cli
