#pragma once

#include <filesystem>

#include "base/core/result.h"

namespace sumac {

/// Where the parts of Sumac lie. Wherever they are installed, unpacked or built, they have the same
/// places beside each other, so that a program finds the others from its own place.
struct Installation {
  std::filesystem::path programs;   // bin
  std::filesystem::path libraries;  // lib/sumac: what programs load when they run
  std::filesystem::path shared;     // share/sumac: bundled data, examples

  bool operator==(const Installation&) const = default;
};

/// That of a program: `program` is its file, with links resolved.
Installation installationOf(const std::filesystem::path& program);

/// That of the running program. Fails with kUnavailable where there is no /proc to tell its file.
Result<Installation> ourInstallation();

/// The folder of what this code loads when it runs: where it is in a program, the libraries of
/// ourInstallation(); where it is in a shared library that another program has loaded, the folder
/// of that library. Fails as ourInstallation() does.
Result<std::filesystem::path> ourLibraries();

/// What to do about a part that is missing, as the end of a message.
inline constexpr const char* kPartsBelongTogether =
    "the folders bin, lib and share of Sumac belong side by side: install or copy all of them";

}  // namespace sumac
