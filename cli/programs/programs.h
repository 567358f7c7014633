#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

#include "base/core/result.h"

namespace sumac::cli {

/// A program and what it says its version is.
struct ProgramVersion {
  std::filesystem::path program;
  std::string version;
};

/// Whether `ours` may start `other`, which answered `--version` with `other.version`. Fails with
/// kConflict and a message that names both programs and both versions.
Result<void> checkVersion(const ProgramVersion& ours, const ProgramVersion& other);

/// The folder of sumac-server and sumac-worker: that of this program; tests put others in their
/// place. Nothing is checked.
std::filesystem::path programsFolder();

/// programsFolder(), with both programs there, able to start, and of our version. Fails with
/// kNotFound or kConflict, and a message that says which program, and where; with kUnavailable
/// where the machine cannot start a program now.
Result<std::filesystem::path> findPrograms();

/// Runs a command with the folder of the programs that it starts, and returns its exit code; says
/// to `err` what is wrong with them, and returns kFailed or, where the machine cannot start them
/// now, kResourceFailed.
int withPrograms(std::ostream& err,
                 const std::function<int(const std::filesystem::path&)>& command);

}  // namespace sumac::cli
