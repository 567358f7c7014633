#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace sumac::worker {

/// A file system of its own, with files of /proc and of control groups.
struct GroupFiles {
  TemporaryFolder root;

  void write(const std::string& path, const std::string& text) const {
    const auto file = root / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
};

}  // namespace sumac::worker
