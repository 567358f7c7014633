#include "engine/pictures/picture_head.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/pictures/exif_orientation.h"

namespace sumac::worker {
namespace {

constexpr std::string_view kPngStart = "\x89PNG\r\n\x1A\n";
constexpr std::string_view kJpegStart = "\xFF\xD8\xFF";
constexpr std::string_view kExifStart("Exif\0\0", 6);
constexpr std::uint32_t kMaxSide = 65'535;  // of a JPEG; of a PNG so that the filter's sums fit

Error refused(const std::string& what) {
  return Error{ErrorCode::kInvalid, "it " + what};
}

Error cutShort() {
  return refused("is cut short: copy it again, or remove it");
}

Error withAlpha() {
  return refused(
      "has an alpha channel: convert it with `convert in.png -background white -alpha remove "
      "-alpha "
      "off out.png`");
}

std::uint32_t bigEndian(BytesView bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value = value << 8U | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

Result<PictureSize> checkedSize(std::uint32_t height, std::uint32_t width,
                                std::uint64_t max_pixels) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (height == 0 || width == 0) return refused("has no pixels (" + size + "): remove it");
  if (std::uint64_t{height} * width > max_pixels) {
    return refused("has " + size + " pixels, more than the " + std::to_string(max_pixels) +
                   " that are allowed: make it smaller with `convert in -resize 4096x4096 out`");
  }
  if (std::max(height, width) > kMaxSide) {
    return refused("has " + size + " pixels, and no side may be longer than " +
                   std::to_string(kMaxSide) + ": cut it");
  }
  return PictureSize{static_cast<int>(height), static_cast<int>(width)};
}

/// Whether a PNG makes a color or a part of the palette transparent.
Result<bool> hasTransparency(BytesView bytes) {
  constexpr std::size_t kFirstChunk = 8;
  constexpr std::size_t kAround = 12;  // length, name and checksum of a chunk
  for (std::size_t at = kFirstChunk; bytes.size() - at >= kAround;) {
    const std::uint32_t length = bigEndian(bytes, at, 4);
    const std::string_view name = asText(bytes.subspan(at + 4, 4));
    if (name == "IDAT" || name == "IEND") return false;
    if (name == "tRNS") return true;
    if (bytes.size() - at - kAround < length) break;
    at += kAround + length;
  }
  return cutShort();
}

Result<PictureHead> readPngHead(BytesView bytes, std::uint64_t max_pixels) {
  constexpr std::size_t kHeader = 33;  // signature and chunk IHDR
  constexpr std::uint32_t kGrayAlpha = 4;
  constexpr std::uint32_t kColorsAlpha = 6;
  if (bytes.size() < kHeader) return cutShort();
  if (asText(bytes.subspan(12, 4)) != "IHDR")
    return refused("is a damaged PNG, without IHDR: copy it again, or remove it");
  const auto size = checkedSize(bigEndian(bytes, 20, 4), bigEndian(bytes, 16, 4), max_pixels);
  if (!size) return size.error();
  const std::uint32_t bits = bigEndian(bytes, 24, 1);
  const std::uint32_t colors = bigEndian(bytes, 25, 1);
  if (bits > 8) {
    return refused("has " + std::to_string(bits) +
                   " bits a channel: convert it with `convert in.png -depth 8 out.png`");
  }
  if (colors == kGrayAlpha || colors == kColorsAlpha) return withAlpha();
  const auto transparent = hasTransparency(bytes);
  if (!transparent) return transparent.error();
  if (*transparent) return withAlpha();
  return PictureHead{PictureFormat::kPng, colors == 0 ? 1 : 3, *size, 1};
}

/// The segments of a JPEG file up to the picture.
class JpegSegments {
 public:
  explicit JpegSegments(BytesView file) : rest_(file.subspan(2)) {}

  struct Segment {
    std::uint32_t marker = 0;
    BytesView content;
  };

  /// The next segment; nothing where the bytes end.
  std::optional<Segment> next() {
    while (const auto marker = nextMarker()) {
      if (*marker == 0x01 || (*marker >= 0xD0 && *marker <= 0xD8)) continue;  // these stand alone
      if (rest_.size() < 2) return std::nullopt;
      const std::size_t length = bigEndian(rest_, 0, 2);
      if (length < 2 || rest_.size() < length) return std::nullopt;
      const Segment segment{*marker, rest_.subspan(2, length - 2)};
      rest_ = rest_.subspan(length);
      return segment;
    }
    return std::nullopt;
  }

 private:
  /// As libjpeg, passes over bytes that are no marker.
  std::optional<std::uint32_t> nextMarker() {
    bool is_marker = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const auto byte = std::to_integer<std::uint32_t>(rest_[i]);
      if (is_marker && byte != 0xFF && byte != 0) {
        rest_ = rest_.subspan(i + 1);
        return byte;
      }
      is_marker = byte == 0xFF;
    }
    return std::nullopt;
  }

  BytesView rest_;
};

bool startsFrame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// Of a segment that starts a frame.
Result<PictureHead> readFrame(BytesView frame, std::uint64_t max_pixels) {
  constexpr std::size_t kFixed = 6;
  constexpr std::uint32_t kCmyk = 4;
  if (frame.size() < kFixed) return cutShort();
  const auto size = checkedSize(bigEndian(frame, 1, 2), bigEndian(frame, 3, 2), max_pixels);
  if (!size) return size.error();
  const std::uint32_t bits = bigEndian(frame, 0, 1);
  const std::uint32_t channels = bigEndian(frame, 5, 1);
  if (bits != 8) {
    return refused("has " + std::to_string(bits) +
                   " bits a channel: convert it with `convert in.jpg -depth 8 out.png`");
  }
  if (channels == kCmyk) {
    return refused(
        "has the colors of print (CMYK): convert it with `convert in.jpg -colorspace sRGB "
        "out.jpg`");
  }
  if (channels != 1 && channels != 3) {
    return refused("has " + std::to_string(channels) +
                   " channels, expected 1 or 3: convert it with `convert in.jpg out.png`");
  }
  return PictureHead{PictureFormat::kJpeg, static_cast<int>(channels), *size, 1};
}

Result<PictureHead> readJpegHead(BytesView bytes, std::uint64_t max_pixels) {
  constexpr std::uint32_t kApp1 = 0xE1;
  constexpr std::uint32_t kStartOfScan = 0xDA;
  std::optional<int> orientation;
  JpegSegments segments(bytes);
  while (const auto segment = segments.next()) {
    if (startsFrame(segment->marker)) {
      auto head = readFrame(segment->content, max_pixels);
      if (head) head->orientation = orientation.value_or(1);
      return head;
    }
    if (segment->marker == kStartOfScan)
      return refused("is a damaged JPEG, without a size: copy it again, or remove it");
    if (segment->marker == kApp1 && !orientation &&
        asText(segment->content).starts_with(kExifStart))
      orientation = exifOrientation(segment->content.subspan(kExifStart.size()));
  }
  return cutShort();
}

}  // namespace

PictureSize PictureHead::shown() const {
  return swapsSides(orientation) ? PictureSize{stored.width, stored.height} : stored;
}

Result<PictureHead> readPictureHead(BytesView bytes, std::uint64_t max_pixels) {
  const std::string_view text = asText(bytes);
  if (text.starts_with(kPngStart)) return readPngHead(bytes, max_pixels);
  if (text.starts_with(kJpegStart)) return readJpegHead(bytes, max_pixels);
  if (bytes.empty()) return refused("is empty: copy it again, or remove it");
  if (kPngStart.starts_with(text) || kJpegStart.starts_with(text)) return cutShort();
  return refused(
      "is neither a PNG nor a JPEG, whatever its name says: convert it with `convert in "
      "out.png`");
}

}  // namespace sumac::worker
