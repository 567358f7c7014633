#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "engine/pictures/picture_head.h"

namespace sumac::worker {

/// Pixels, all of one channel before those of the next, each from top left by rows.
struct Picture {
  int channels = 0;  // 1: gray; 3: red, green, blue
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> pixels;
};

/// The picture as a PNG file. Requires 1 or 3 channels and sides of at least 1.
Bytes encodePng(const Picture& picture);

/// How the pixels of a file become those to train on, or to predict from.
struct DecodeOptions {
  int channels = 0;                                  // 1 or 3; 0: as in the file
  std::optional<PictureSize> resize = std::nullopt;  // absent: as in the file
  std::uint64_t max_pixels = kMaxPixels;
};

/// Decodes a PNG or JPEG file, turns it as its EXIF orientation says, scales and cuts it as
/// resized() does if that is asked for, and makes gray of colors, or colors of gray. The same bytes
/// and options give the same pixels on every processor: integers only, JPEG by the slow integer
/// transform of libjpeg-turbo, which its variants compute alike.
///
/// A JPEG that is to become smaller is decoded at 1/2, 1/4 or 1/8 of its size, as long as that
/// still covers `resize`: this is a part of what the result is.
///
/// Gamma, color profiles and the physical size of pixels are ignored. Fails as readPictureHead(),
/// and with kInvalid for a file that is damaged or cut anywhere, kUnavailable where memory is
/// short.
Result<Picture> decodePicture(BytesView bytes, const DecodeOptions& options = {});

}  // namespace sumac::worker
