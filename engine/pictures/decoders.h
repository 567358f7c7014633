#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "engine/pictures/picture.h"

namespace sumac::worker {

/// The stored picture of a file with this head, in `channels` channels, neither turned nor scaled;
/// decodeJpeg(): at 1/2, 1/4 or 1/8 of its size if that still covers `cover`. Fail with kInvalid.
Result<Picture> decodePng(BytesView bytes, const PictureHead& head, int channels);
Result<Picture> decodeJpeg(BytesView bytes, const PictureHead& head, int channels,
                           PictureSize cover);

/// A picture of zeros.
Picture blackPicture(int channels, PictureSize size);

/// Stores row `y`, which has 1 or 3 values a pixel. Requires one of picture.width pixels.
void storeRow(std::span<const std::uint8_t> row, int y, Picture& picture);

/// For what a library says of a file.
Error damaged(std::string_view what);

}  // namespace sumac::worker
