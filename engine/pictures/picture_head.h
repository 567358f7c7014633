#pragma once

#include <cstdint>

#include "base/core/bytes.h"
#include "base/core/result.h"

namespace sumac::worker {

struct PictureSize {
  int height = 0;
  int width = 0;

  bool operator==(const PictureSize&) const = default;
};

enum class PictureFormat : std::uint8_t { kPng, kJpeg };

/// What a file says of its picture before any pixel.
struct PictureHead {
  PictureFormat format = PictureFormat::kPng;
  int channels = 0;     // 1: gray, 3: colors, also where a palette has them
  PictureSize stored;   // as the file has it
  int orientation = 1;  // of EXIF, 1 to 8: how the stored picture is to be turned

  /// As it is seen: turned.
  PictureSize shown() const;
};

/// The maximum number of pixels of a file that is decoded.
inline constexpr std::uint64_t kMaxPixels = 100'000'000;

/// Reads the head of a PNG or JPEG file; decodes nothing, allocates nothing. `bytes` may be the
/// beginning of the file alone: where that is too short, it fails as for a file that is cut.
///
/// Fails with kInvalid for what decodePicture() cannot take and a head can tell: another format, 16
/// bits a channel, alpha, CMYK, no pixels, a side of more than 65,535, more than `max_pixels`. The
/// message is about "it", the file, and says what to do.
Result<PictureHead> readPictureHead(BytesView bytes, std::uint64_t max_pixels = kMaxPixels);

}  // namespace sumac::worker
