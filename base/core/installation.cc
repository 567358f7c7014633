#include "base/core/installation.h"

#include <system_error>

namespace sumac {

namespace fs = std::filesystem;

Installation installationOf(const fs::path& program) {
  const fs::path programs = program.parent_path();
  const fs::path root = programs.parent_path();
  return {programs, root / "lib" / "sumac", root / "share" / "sumac"};
}

Result<Installation> ourInstallation() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) {
    return Error{ErrorCode::kUnavailable,
                 "cannot tell where this program is: /proc/self/exe: " + failure.message()};
  }
  return installationOf(program);
}

}  // namespace sumac
