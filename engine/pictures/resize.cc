#include "engine/pictures/resize.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

constexpr unsigned kWeightBits = 14;
constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);
constexpr int kLongestSide = 65'535;

/// What one pixel of the result is made of: the pixels from `first` on, one a weight.
struct Blend {
  int first = 0;
  std::vector<std::int32_t> weights;
};

/// Of pixel `x` when `from` pixels become `to`. Half a pixel of the result is `from` units long,
/// half a pixel of the source `to`, and the filter reaches as far as the longer of a whole one.
Blend blendOf(std::int64_t x, std::int64_t from, std::int64_t to) {
  const std::int64_t center = (2 * x + 1) * from;
  const std::int64_t reach = 2 * std::max(from, to);
  const auto heightAt = [&](std::int64_t i) {
    const std::int64_t position = (2 * i + 1) * to;
    return reach - std::max(position - center, center - position);
  };
  const std::int64_t middle = std::min(center / (2 * to), from - 1);
  std::int64_t first = middle;
  while (first > 0 && heightAt(first - 1) > 0)
    --first;
  std::int64_t end = middle + 1;
  while (end < from && heightAt(end) > 0)
    ++end;
  std::int64_t sum = 0;
  for (std::int64_t i = first; i < end; ++i)
    sum += heightAt(i);
  Blend blend{static_cast<int>(first), {}};
  // Differences of rounded sums: their own sum is exact.
  std::int64_t before = 0;
  std::int64_t up_to = 0;
  for (std::int64_t i = first; i < end; ++i) {
    up_to += heightAt(i);
    const std::int64_t after = (up_to << kWeightBits) / sum;
    blend.weights.push_back(static_cast<std::int32_t>(after - before));
    before = after;
  }
  return blend;
}

/// The blends of the middle `wanted` of `to` pixels that `from` become.
std::vector<Blend> middleBlends(std::int64_t from, std::int64_t to, int wanted) {
  std::vector<Blend> blends;
  const std::int64_t cut = (to - wanted) / 2;
  for (std::int64_t x = 0; x < wanted; ++x)
    blends.push_back(blendOf(cut + x, from, to));
  return blends;
}

std::uint8_t rounded(std::int32_t sum) {
  return static_cast<std::uint8_t>((sum + kHalf) >> kWeightBits);
}

void blendAlong(const std::uint8_t* row, std::span<const Blend> blends, std::uint8_t* out) {
  for (const Blend& blend : blends) {
    const std::uint8_t* const in = row + blend.first;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < blend.weights.size(); ++i)
      sum += blend.weights[i] * in[i];
    *out++ = rounded(sum);
  }
}

/// Blends rows, of the length of `sums`, into one. `rows` begins with row `begin`.
void blendRows(std::span<const std::uint8_t> rows, int begin, const Blend& blend,
               std::span<std::int32_t> sums, std::uint8_t* out) {
  std::ranges::fill(sums, 0);
  for (std::size_t i = 0; i < blend.weights.size(); ++i) {
    const std::uint8_t* const row =
        &rows[(static_cast<std::size_t>(blend.first - begin) + i) * sums.size()];
    const std::int32_t weight = blend.weights[i];
    for (std::size_t x = 0; x < sums.size(); ++x)
      sums[x] += weight * row[x];
  }
  for (std::size_t x = 0; x < sums.size(); ++x)
    out[x] = rounded(sums[x]);
}

/// Rounded to the nearest.
std::int64_t scaled(std::int64_t length, std::int64_t to, std::int64_t from) {
  return (2 * length * to + from) / (2 * from);
}

}  // namespace

Picture resized(Picture picture, PictureSize size) {
  for (const int side : {picture.height, picture.width, size.height, size.width})
    SUMAC_CHECK(side >= 1 && side <= kLongestSide, side);
  if (PictureSize{picture.height, picture.width} == size) return picture;
  const std::int64_t height = picture.height;
  const std::int64_t width = picture.width;
  const bool height_decides = height * size.width <= width * size.height;
  const auto across = middleBlends(
      width, height_decides ? scaled(width, size.height, height) : size.width, size.width);
  const auto down = middleBlends(
      height, height_decides ? size.height : scaled(height, size.width, width), size.height);
  // Only rows that end up in the result.
  const int first = down.front().first;
  const int end = down.back().first + static_cast<int>(down.back().weights.size());

  const auto out_width = static_cast<std::size_t>(size.width);
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(end - first) * out_width);
  std::vector<std::int32_t> sums(out_width);
  Picture result{picture.channels, size.height, size.width, {}};
  result.pixels.resize(static_cast<std::size_t>(picture.channels) *
                       static_cast<std::size_t>(size.height) * out_width);
  std::uint8_t* out = result.pixels.data();
  for (std::int64_t channel = 0; channel < picture.channels; ++channel) {
    const std::uint8_t* const plane = picture.pixels.data() + channel * height * width;
    for (std::int64_t y = first; y < end; ++y)
      blendAlong(plane + y * width, across, &rows[static_cast<std::size_t>(y - first) * out_width]);
    for (const Blend& blend : down) {
      blendRows(rows, first, blend, sums, out);
      out += out_width;
    }
  }
  return result;
}

}  // namespace sumac::worker
