#include <zlib.h>

#include "base/core/check.h"
#include "engine/pictures/picture.h"
#include "tests/fuzz/harness/harness.h"

namespace sumac::fuzz {
namespace {

using worker::DecodeOptions;
using worker::Picture;
using worker::PictureHead;
using worker::PictureSize;

constexpr std::uint64_t kFewPixels = 1U << 16U;

std::size_t bigEndian(const Bytes& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | std::to_integer<std::size_t>(bytes[at + i]);
  return value;
}

/// A PNG whose checksums are right: libFuzzer guesses none.
Bytes withChecksums(BytesView input) {
  constexpr std::size_t kAround = 12;
  Bytes file(input.begin(), input.end());
  for (std::size_t at = 8; at + kAround <= file.size();) {
    const std::size_t length = bigEndian(file, at);
    if (length > file.size() - at - kAround) break;
    const auto sum =
        ::crc32(0, reinterpret_cast<const Bytef*>(&file[at + 4]), static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i)
      file[at + 8 + length + i] = static_cast<std::byte>(sum >> (24 - 8 * i) & 0xFFU);
    at += kAround + length;
  }
  return file;
}

void checkPicture(const Picture& picture, int channels, PictureSize size) {
  SUMAC_CHECK(picture.channels == channels, picture.channels, channels);
  SUMAC_CHECK(picture.height == size.height && picture.width == size.width, picture.height,
              picture.width);
  SUMAC_CHECK(std::ssize(picture.pixels) == std::int64_t{channels} * size.height * size.width,
              picture.pixels.size());
}

void decode(BytesView input) {
  const auto head = worker::readPictureHead(input, kFewPixels);
  requireReason(head);
  const DecodeOptions as_it_is{.max_pixels = kFewPixels};
  const auto picture = worker::decodePicture(input, as_it_is);
  requireReason(picture);
  SUMAC_CHECK(head || !picture);
  if (!picture) return;
  checkPicture(*picture, head->channels, head->shown());
  const PictureSize small{5, 7};
  const auto scaled =
      worker::decodePicture(input, {.channels = 1, .resize = small, .max_pixels = kFewPixels});
  SUMAC_CHECK(scaled.has_value(), scaled ? "" : scaled.error().message);
  checkPicture(*scaled, 1, small);
}

}  // namespace

void pictures(BytesView input) {
  decode(input);
  if (asText(input).starts_with("\x89PNG")) decode(withChecksums(input));
}

}  // namespace sumac::fuzz
