#include "worker/data/data_folder.h"

#include <string>
#include <system_error>

#include "common/base/file.h"

namespace sumac::worker {

namespace fs = std::filesystem;

std::vector<fs::path> dataFolders(const fs::path& explicit_folder, const fs::path& program) {
  if (!explicit_folder.empty()) return {explicit_folder};
  std::vector<fs::path> folders;
  if (!program.empty()) {
    const fs::path near = program.parent_path();
    folders.push_back((near / "../../../examples/data").lexically_normal());
    folders.push_back((near / "../share/sumac/data").lexically_normal());
  }
  folders.emplace_back("examples/data");
  return folders;
}

Result<fs::path> findDataFolder(std::string_view name, const fs::path& explicit_folder) {
  std::error_code unknown;  // leaves the program's path empty
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  std::string tried;
  for (const fs::path& folder : dataFolders(explicit_folder, program)) {
    fs::path found = folder / name;
    const auto is_there = isFolder(found);
    if (!is_there) return is_there.error();
    if (*is_there) return found;
    tried += (tried.empty() ? "" : ", ") + found.string();
  }
  return Error{ErrorCode::kNotFound, "cannot find the data set " + std::string(name) +
                                         ", looked for the folder at " + tried +
                                         "; set SUMAC_DATA_DIR to the folder that has it"};
}

}  // namespace sumac::worker
