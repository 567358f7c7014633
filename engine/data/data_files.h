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
  std::string name;  // may begin with folders
  Bytes content;
};

enum class Compression : std::uint8_t { kNone, kGzip };

/// The files that the loader of each format reads. idxFiles() requires images of one channel,
/// cifar10Files() of 3 x 32 x 32 in ten classes, pictureFiles() of 1 or 3 channels, csvFiles()
/// vectors of pixels. textFiles() writes the splits that have words; each must end with the end of
/// a line.
std::vector<NamedFile> idxFiles(const Images& images, Compression compression);
std::vector<NamedFile> cifar10Files(const Images& images);
std::vector<NamedFile> pictureFiles(const Images& images);
std::vector<NamedFile> csvFiles(const Images& images);
std::vector<NamedFile> textFiles(const Text& text);

/// Writes the files to `folder`, creating it and theirs if needed, and returns their paths. Fails
/// with kConflict, without writing any, if one of them exists. After another failure some of them
/// may be left behind.
Result<std::vector<std::filesystem::path>> createFiles(const std::filesystem::path& folder,
                                                       const std::vector<NamedFile>& files);

}  // namespace sumac::worker
