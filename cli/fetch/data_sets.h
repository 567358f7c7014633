#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sumac::cli {

/// A file as its publisher serves it.
struct RemoteFile {
  std::string_view name;  // the last part of its address
  std::uint64_t size = 0;
  std::string_view sha256;  // 64 lower-case hexadecimal digits
};

/// A file inside an archive, and where it belongs.
struct ArchiveMember {
  std::string_view path;  // inside the archive; the file takes the last part as its name
  std::uint64_t size = 0;
};

/// A public data set that a job can train on.
struct RemoteDataSet {
  std::string_view name;
  std::string_view format;   // of `spec.data.format`
  std::string_view address;  // of the folder that holds the files, without a slash at its end
  std::span<const RemoteFile> files;
  /// What to take out of the only file, a .tar.gz. Empty: the files are used as they are.
  std::span<const ArchiveMember> members;
  /// Written beside them, one a line: the names of the classes, in the file where a job looks.
  std::string_view names_file = {};
  std::span<const std::string_view> class_names = {};
};

/// All that `sumac data fetch` knows. Sizes and SHA-256 sums are those that TensorFlow Datasets
/// records for the same addresses.
std::span<const RemoteDataSet> remoteDataSets();

/// The set of that name, or null.
const RemoteDataSet* findRemoteDataSet(std::string_view name);

/// "cifar-10, cifar-100, fashion-mnist, mnist", for messages.
std::string remoteDataSetNames();

}  // namespace sumac::cli
