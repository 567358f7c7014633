#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "job/document/training_job.h"

namespace sumac::job {

/// The sources of a program by their paths within a folder, as kFolderPattern says.
using CodeFiles = std::map<std::string, std::string>;

/// What one ConfigMap of at most 1 MiB holds beside its names.
inline constexpr std::uint64_t kMostCodeBytes = 700UL * 1024;
inline constexpr std::size_t kMostCodeFiles = 500;
inline constexpr int kMostCodePath = 253;

/// Whether a path can stand in spec.program.code.files: relative, without "..", and without
/// characters that mean something to a shell.
bool isCodePath(std::string_view path);

/// What is wrong with a list of such paths: one stands there twice, or is the folder of another;
/// empty: nothing.
std::string codeFilesProblem(std::vector<std::string> files);

/// The SHA-256 of sources: that of the lines that `sha256sum` prints for them, in the order of
/// their paths' bytes.
std::string codeHash(const CodeFiles& files);

/// Checks that a folder has the job's sources. Fails with kInvalid where a file is missing or they
/// are others, and with kUnavailable where they cannot be read.
Result<void> checkCode(const CodeSpec& code, const std::filesystem::path& folder);

}  // namespace sumac::job
