#include "engine/data/data_folder.h"

#include <string>

#include "base/core/file.h"
#include "base/core/installation.h"

namespace sumac::worker {

namespace fs = std::filesystem;

Result<fs::path> findDataFolder(std::string_view name, const fs::path& explicit_folder) {
  fs::path folder = explicit_folder;
  if (folder.empty()) {
    const auto installation = ourInstallation();
    if (!installation) return installation.error();
    folder = installation->shared / "data";
  }
  fs::path found = folder / name;
  const auto is_there = isFolder(found);
  if (!is_there) return is_there.error();
  if (*is_there) return found;
  const std::string advice =
      explicit_folder.empty()
          ? std::string(kPartsBelongTogether) + ", or set SUMAC_DATA_DIR to the folder that has it"
          : "SUMAC_DATA_DIR or --data-dir names the folder that has it";
  return Error{ErrorCode::kNotFound, "cannot find the data set " + std::string(name) +
                                         ": there is no folder " + found.string() + "; " + advice};
}

}  // namespace sumac::worker
