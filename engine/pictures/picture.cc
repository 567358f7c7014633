#include "engine/pictures/picture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "base/core/check.h"
#include "engine/pictures/decoders.h"
#include "engine/pictures/exif_orientation.h"
#include "engine/pictures/resize.h"

namespace sumac::worker {
namespace {

/// ITU-R BT.601's weights in 1/65536, rounded to the nearest.
std::uint8_t grayOf(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return static_cast<std::uint8_t>((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16U);
}

void storeGray(std::span<const std::uint8_t> row, std::size_t at, std::size_t plane,
               Picture& picture) {
  for (int channel = 0; channel < picture.channels; ++channel)
    std::ranges::copy(row, &picture.pixels[static_cast<std::size_t>(channel) * plane + at]);
}

void storeColors(std::span<const std::uint8_t> row, std::size_t at, std::size_t plane,
                 Picture& picture) {
  std::uint8_t* const out = &picture.pixels[at];
  const auto width = static_cast<std::size_t>(picture.width);
  if (picture.channels == 1) {
    for (std::size_t x = 0; x < width; ++x)
      out[x] = grayOf(row[3 * x], row[3 * x + 1], row[3 * x + 2]);
    return;
  }
  for (std::size_t x = 0; x < width; ++x) {
    out[x] = row[3 * x];
    out[plane + x] = row[3 * x + 1];
    out[2 * plane + x] = row[3 * x + 2];
  }
}

Result<Picture> decode(BytesView bytes, const PictureHead& head, const DecodeOptions& options) {
  const int channels = options.channels == 0 ? head.channels : options.channels;
  if (head.format == PictureFormat::kPng) return decodePng(bytes, head, channels);
  // As it lies in the file, before it is turned.
  PictureSize cover = options.resize.value_or(head.shown());
  if (swapsSides(head.orientation)) std::swap(cover.height, cover.width);
  return decodeJpeg(bytes, head, channels, cover);
}

}  // namespace

Picture blackPicture(int channels, PictureSize size) {
  const std::size_t plane =
      static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width);
  return {channels, size.height, size.width,
          std::vector<std::uint8_t>(static_cast<std::size_t>(channels) * plane)};
}

void storeRow(std::span<const std::uint8_t> row, int y, Picture& picture) {
  const auto width = static_cast<std::size_t>(picture.width);
  SUMAC_CHECK(row.size() == width || row.size() == 3 * width, row.size(), width);
  const std::size_t plane = width * static_cast<std::size_t>(picture.height);
  const std::size_t at = width * static_cast<std::size_t>(y);
  if (row.size() == width) {
    storeGray(row, at, plane, picture);
  } else {
    storeColors(row, at, plane, picture);
  }
}

Error damaged(std::string_view what) {
  return Error{ErrorCode::kInvalid, "it is damaged or cut short (" + std::string(what) +
                                        "): copy it again, or remove it"};
}

Result<Picture> decodePicture(BytesView bytes, const DecodeOptions& options) {
  SUMAC_CHECK(options.channels == 0 || options.channels == 1 || options.channels == 3,
              options.channels);
  const auto head = readPictureHead(bytes, options.max_pixels);
  if (!head) return head.error();
  try {
    auto stored = decode(bytes, *head, options);
    if (!stored) return stored.error();
    Picture shown = turned(*std::move(stored), head->orientation);
    return options.resize ? resized(std::move(shown), *options.resize) : std::move(shown);
  } catch (const std::bad_alloc&) {
    const PictureSize size = head->shown();
    return Error{ErrorCode::kUnavailable,
                 "there is not enough memory for its " + std::to_string(size.width) + "x" +
                     std::to_string(size.height) + " pixels: give this process more memory"};
  }
}

}  // namespace sumac::worker
