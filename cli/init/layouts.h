#pragma once

#include <span>
#include <string>
#include <vector>

#include "job/document/training_job.h"

namespace sumac::cli {

/// What lies in a folder.
struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool has_pictures = false;  // a folder, and directly in it
};

/// The formats whose files are among the entries of a folder.
std::vector<job::DataFormat> formatsAmong(std::span<const FolderEntry> entries);

/// Why there is none, what is there, what was looked for, and, where that is clear, what to do.
std::string noFormatAmong(const std::string& folder, std::span<const FolderEntry> entries);

/// The column of a table that most likely has the classes: `label`, else one of the names that are
/// usual, else the last. Requires at least one.
std::string likelyLabel(std::span<const std::string> columns);

}  // namespace sumac::cli
