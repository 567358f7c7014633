#include "engine/pictures/exif_orientation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

/// Numbers of either byte order, of bytes that may be missing.
class Tiff {
 public:
  Tiff(BytesView bytes, bool is_little) : bytes_(bytes), is_little_(is_little) {}

  std::optional<std::uint32_t> number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t next = is_little_ ? at + size - 1 - i : at + i;
      value = value << 8U | std::to_integer<std::uint32_t>(bytes_[next]);
    }
    return value;
  }

 private:
  BytesView bytes_;
  bool is_little_;
};

/// The orientation among the entries of the folder at `at`.
std::optional<std::uint32_t> orientationIn(const Tiff& tiff, std::size_t at) {
  constexpr std::size_t kEntry = 12;
  constexpr std::uint32_t kOrientation = 0x0112;
  constexpr std::uint32_t kShort = 3;
  const std::uint32_t entries = tiff.number(at, 2).value_or(0);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = at + 2 + i * kEntry;
    const auto tag = tiff.number(entry, 2);
    if (!tag) return std::nullopt;
    if (*tag == kOrientation && tiff.number(entry + 2, 2) == kShort)
      return tiff.number(entry + 8, 2);
  }
  return std::nullopt;
}

/// Where the picture that is seen begins in the stored one, and how far apart its neighbors are.
struct Walk {
  std::ptrdiff_t first, right, down;
};

Walk walkOf(std::ptrdiff_t height, std::ptrdiff_t width, int orientation) {
  const std::ptrdiff_t last_row = (height - 1) * width;
  const std::ptrdiff_t last = width - 1;
  switch (orientation) {
    case 2: return {last, -1, width};
    case 3: return {last_row + last, -1, -width};
    case 4: return {last_row, 1, -width};
    case 5: return {0, width, 1};
    case 6: return {last_row, -width, 1};
    case 7: return {last_row + last, -width, -1};
    case 8: return {last, width, -1};
    default: return {0, 1, width};
  }
}

}  // namespace

int exifOrientation(BytesView tiff) {
  constexpr std::uint32_t kMagic = 42;
  const std::string_view text = asText(tiff);
  const bool is_little = text.starts_with("II");
  if (!is_little && !text.starts_with("MM")) return 1;
  const Tiff reader(tiff, is_little);
  const auto folder = reader.number(4, 4);
  if (reader.number(2, 2) != kMagic || !folder) return 1;
  const auto found = orientationIn(reader, *folder);
  return found && *found >= 1 && *found <= 8 ? static_cast<int>(*found) : 1;
}

bool swapsSides(int orientation) {
  return orientation >= 5;
}

Picture turned(Picture picture, int orientation) {
  SUMAC_CHECK(orientation >= 1 && orientation <= 8, orientation);
  if (orientation == 1) return picture;
  const Walk walk = walkOf(picture.height, picture.width, orientation);
  Picture result{picture.channels, picture.height, picture.width, {}};
  if (swapsSides(orientation)) std::swap(result.height, result.width);
  result.pixels.resize(picture.pixels.size());
  const std::ptrdiff_t plane = std::ptrdiff_t{picture.height} * picture.width;
  auto out = result.pixels.begin();
  for (int channel = 0; channel < result.channels; ++channel) {
    const std::uint8_t* const in = picture.pixels.data() + channel * plane + walk.first;
    for (int y = 0; y < result.height; ++y)
      for (int x = 0; x < result.width; ++x)
        *out++ = in[y * walk.down + x * walk.right];
  }
  return result;
}

}  // namespace sumac::worker
