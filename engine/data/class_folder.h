#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/core/result.h"
#include "engine/data/class_listing.h"
#include "engine/data/samples.h"
#include "engine/pictures/picture.h"
#include "job/document/training_job.h"
#include "job/model/network.h"

namespace sumac::worker {

/// The largest size of decoded pictures that are kept in memory.
inline constexpr std::uint64_t kMaxDecodedBytes = std::uint64_t{2} << 30U;

/// The largest file of a picture that is read.
inline constexpr std::uint64_t kMaxPictureFile = std::uint64_t{1} << 29U;

struct ClassFolderOptions {
  int channels = 0;                                  // 1 or 3; 0: as in the files
  std::optional<PictureSize> resize = std::nullopt;  // absent: as in the files
  int threads = 1;                                   // that read and decode; the result is the same
  std::uint64_t max_bytes = kMaxDecodedBytes;        // of all pictures; tests have less
};

/// How a job has its pictures read.
ClassFolderOptions folderOptions(const job::DataSpec& data, int threads);

/// How different the pictures of a listing are, by the heads of all files.
struct PictureRange {
  PictureSize least;     // the least height and the least width of any
  PictureSize greatest;  // likewise
  bool has_gray = false;
  bool has_color = false;
};

/// Fails with kInvalid for the first file that cannot be used.
Result<PictureRange> rangeOfPictures(const ClassListing& listing, int threads);

/// The shape that all pictures of a listing have when they are decoded, by the heads of all files.
/// Fails with kInvalid for the first file that cannot be used, and where `options` leave sizes or
/// channels as they are and two files differ: the message names them.
Result<model::Shape> shapeOfPictures(const ClassListing& listing,
                                     const ClassFolderOptions& options);

/// Decodes pictures of one shape into `pixels`, one after the other. Requires room for exactly
/// them. Fails for the first file that cannot be used.
Result<void> decodePictures(std::span<const ListedPicture> pictures, const model::Shape& shape,
                            const ClassFolderOptions& options, std::span<std::uint8_t> pixels);

struct ClassFolder {
  Images images;        // `test` has no samples where there is no folder test
  std::string warning;  // of the listing
};

/// Loads what listClasses() finds. Fails with kInvalid, too, when all pictures take more than
/// `max_bytes`; the message has the command that packs them.
Result<ClassFolder> loadClassFolder(const std::filesystem::path& folder,
                                    const ClassFolderOptions& options);

}  // namespace sumac::worker
