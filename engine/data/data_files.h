#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "engine/data/samples.h"
#include "engine/data/text_corpus.h"

namespace sumac::worker {

/// A file to write.
struct NamedFile {
  std::string name;
  Bytes content;
};

enum class Compression : std::uint8_t { kNone, kGzip };

/// The files that the loader of each format reads. idxFiles() requires images of one channel,
/// cifar10Files() of 3 x 32 x 32 in ten classes. textFiles() writes the splits that have words;
/// each must end with the end of a line.
std::vector<NamedFile> idxFiles(const Images& images, Compression compression);
std::vector<NamedFile> cifar10Files(const Images& images);
std::vector<NamedFile> textFiles(const Text& text);

/// Writes the files to `folder`, creating it if needed, and returns their paths. Fails with
/// kConflict, without writing any, if one of them exists. After another failure some of them may be
/// left behind.
Result<std::vector<std::filesystem::path>> createFiles(const std::filesystem::path& folder,
                                                       const std::vector<NamedFile>& files);

}  // namespace sumac::worker
