#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "worker/data/samples.h"
#include "worker/data/text_corpus.h"

namespace sumac::worker {

/// A file to be written.
struct NamedFile {
  std::string name;
  Bytes content;
};

enum class Compression : std::uint8_t { kNone, kGzip };

/// Data as the files that the loader of that format reads. idxFiles() requires one channel,
/// cifar10Files() 3 x 32 x 32 and ten classes; of a text the splits that are there, which must end
/// a line.
std::vector<NamedFile> idxFiles(const Images& images, Compression compression);
std::vector<NamedFile> cifar10Files(const Images& images);
std::vector<NamedFile> textFiles(const Text& text);

/// Writes the files into `folder`, which is made when it is not there. Fails with kConflict, having
/// written none, when one of them exists already; after another failure some may stay behind.
/// Returns the paths.
Result<std::vector<std::filesystem::path>> createFiles(const std::filesystem::path& folder,
                                                       const std::vector<NamedFile>& files);

}  // namespace sumac::worker
