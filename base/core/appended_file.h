#pragma once

#include <filesystem>
#include <utility>

#include "base/core/bytes.h"
#include "base/core/descriptor.h"
#include "base/core/result.h"

namespace sumac {

/// A file that grows by whole pieces. Each is in the file when append() returns, so readers that
/// follow the file see it at once, and it outlives this process.
class AppendedFile {
 public:
  enum class Beginning {
    kEmpty,  // whatever the file had is gone
    kNew,    // fails with kConflict where the file is there
    kKept    // after what the file has
  };
  static Result<AppendedFile> open(std::filesystem::path path, Beginning beginning);

  /// Does not allocate. Fails as errorCodeOf() says when the piece could not be written, of which
  /// nothing is left then; later ones may.
  Result<void> append(BytesView piece);

 private:
  AppendedFile(std::filesystem::path path, Descriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace sumac
