#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::worker {

/// Whether a name ends with .png, .jpg or .jpeg, in either case.
bool isPictureName(std::string_view name);

struct ListedPicture {
  std::filesystem::path path;
  std::uint16_t label = 0;  // the index of its class
};

/// The files of a data set that is a folder: train/CLASS/*.png, *.jpg and *.jpeg, and the same
/// below test/.
struct ClassListing {
  std::vector<std::string> classes;  // 2 to kMaxClasses names of folders, sorted by their bytes
  std::vector<ListedPicture> train;  // sorted by class, then by the bytes of the file's name
  std::vector<ListedPicture> test;   // likewise; none if there is no folder test
  std::string warning;               // which files are no pictures; empty: all are
};

/// Lists such a folder; opens no file. The endings of names count in either case. Names that begin
/// with a dot are hidden; links are followed.
///
/// Fails with kInvalid where a class has no pictures to train on, where there are too few classes
/// or too many, and for a class in test/ alone; with kNotFound where there is no folder train.
Result<ClassListing> listClasses(const std::filesystem::path& folder);

}  // namespace sumac::worker
