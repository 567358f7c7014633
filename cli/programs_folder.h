#pragma once

#include <filesystem>

#include "cli/terminal/terminal.h"

namespace sumac::cli {

/// The folder of sumac-server and sumac-worker: beside this program; tests put others in their
/// place.
inline std::filesystem::path programsFolder() {
  if (const auto folder = environment("SUMAC_PROGRAMS_DIR"); !folder.empty()) return folder;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

}  // namespace sumac::cli
