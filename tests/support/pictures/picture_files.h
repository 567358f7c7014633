#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/core/bytes.h"
#include "engine/pictures/picture.h"

namespace sumac {

/// A PNG as its format names things: rows are as the file has them, bits packed.
struct PngFile {
  int height = 1;
  int width = 1;
  int colors = 0;  // 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha
  int bits = 8;
  bool is_interlaced = false;
  bool is_transparent = false;                            // has a chunk tRNS
  std::vector<std::array<std::uint8_t, 3>> palette = {};  // of colors 3
  std::vector<std::uint8_t> rows = {};
};

Bytes encode(const PngFile& file);

/// A picture as a plain PNG of 8 bits.
Bytes pngOf(const worker::Picture& picture);

struct JpegOptions {
  int quality = 100;
  bool is_progressive = false;
  bool is_subsampled = false;  // chroma of half the sides
  bool has_two_scans = false;  // of a gray picture: progressive, and each may come again
  std::optional<int> orientation = std::nullopt;  // of EXIF
};

/// A picture as a JPEG; one of four channels is CMYK.
Bytes jpegOf(const worker::Picture& picture, const JpegOptions& options = {});

/// What follows "Exif\0\0" in a file whose EXIF data has the orientation alone.
Bytes exifOf(int orientation, bool is_little_endian);

/// A picture in which pixels differ: smooth, so that a JPEG of it is close.
worker::Picture gradientPicture(int channels, worker::PictureSize size);

}  // namespace sumac
