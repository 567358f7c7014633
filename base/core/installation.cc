#include "base/core/installation.h"

#include <link.h>
#include <system_error>

#include <dlfcn.h>

namespace sumac {

namespace fs = std::filesystem;

namespace {

/// The shared library that this code is in, with links resolved; empty where it is in a program.
fs::path ourSharedLibrary() {
  Dl_info ignored{};
  void* found = nullptr;
  const auto* const here = reinterpret_cast<const void*>(&ourSharedLibrary);
  if (dladdr1(here, &ignored, &found, RTLD_DL_LINKMAP) == 0) return {};
  const fs::path file = static_cast<const link_map*>(found)->l_name;  // of a program: ""
  std::error_code failure;
  return file.empty() ? file : fs::canonical(file, failure);
}

}  // namespace

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

Result<fs::path> ourLibraries() {
  const fs::path library = ourSharedLibrary();
  if (!library.empty()) return library.parent_path();
  const auto installation = ourInstallation();
  if (!installation) return installation.error();
  return installation->libraries;
}

}  // namespace sumac
