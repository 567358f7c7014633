#include "engine/data/normalization.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

/// Values that share a mean lie in pieces of `size`, one in each sample.
struct Layout {
  std::size_t channels = 1;
  std::size_t size = 1;

  explicit Layout(const model::Shape& shape)
      : channels(static_cast<std::size_t>(shape.front())),
        size(static_cast<std::size_t>(model::count(shape)) / channels) {}

  /// The values of a channel in so many samples.
  double countOf(std::int64_t samples) const {
    return static_cast<double>(samples) * static_cast<double>(size);
  }
};

double square(double value) {
  return value * value;
}

void add(Normalization& normalization, double mean, double variance) {
  const auto deviation = static_cast<float>(std::sqrt(variance));
  normalization.mean.push_back(static_cast<float>(mean));
  normalization.deviation.push_back(deviation > 0 ? deviation : 1.0F);
}

/// Of values, in two passes over the samples.
Normalization ofValues(const Samples& samples, const Layout& layout) {
  std::vector<float> room(layout.channels * layout.size);
  const auto sumsOf = [&](const std::vector<double>& means) {
    std::vector<double> sums(layout.channels);
    for (std::int64_t i = 0; i < samples.count(); ++i) {
      const auto values = valuesOf(samples, i, room);
      for (std::size_t channel = 0; channel < layout.channels; ++channel) {
        for (const double value : values.subspan(channel * layout.size, layout.size))
          sums[channel] += means.empty() ? value : square(value - means[channel]);
      }
    }
    return sums;
  };
  const double count = layout.countOf(samples.count());
  std::vector<double> means = sumsOf({});
  for (double& mean : means)
    mean /= count;
  const std::vector<double> squares = sumsOf(means);
  Normalization normalization;
  for (std::size_t channel = 0; channel < layout.channels; ++channel)
    add(normalization, means[channel], squares[channel] / count);
  return normalization;
}

}  // namespace

void PixelSums::add(const PixelSums& other) {
  pixels.resize(other.pixels.size());
  squares.resize(other.squares.size());
  std::ranges::transform(pixels, other.pixels, pixels.begin(), std::plus());
  std::ranges::transform(squares, other.squares, squares.begin(), std::plus());
}

void PixelSums::remove(const PixelSums& other) {
  SUMAC_CHECK(pixels.size() == other.pixels.size(), pixels.size(), other.pixels.size());
  std::ranges::transform(pixels, other.pixels, pixels.begin(), std::minus());
  std::ranges::transform(squares, other.squares, squares.begin(), std::minus());
}

PixelSums pixelSums(const Samples& samples) {
  const Layout layout(samples.shape);
  PixelSums sums{std::vector<std::uint64_t>(layout.channels),
                 std::vector<std::uint64_t>(layout.channels)};
  std::vector<std::uint8_t> room(layout.channels * layout.size);
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const auto pixels = pixelsOf(samples, i, room);
    for (std::size_t channel = 0; channel < layout.channels; ++channel) {
      std::uint64_t sum = 0;
      std::uint64_t squared = 0;
      for (const std::uint64_t pixel : pixels.subspan(channel * layout.size, layout.size)) {
        sum += pixel;
        squared += pixel * pixel;
      }
      sums.pixels[channel] += sum;
      sums.squares[channel] += squared;
    }
  }
  return sums;
}

Normalization normalizationOf(const PixelSums& sums, const model::Shape& shape,
                              std::int64_t samples) {
  constexpr double kWhite = 255;
  const Layout layout(shape);
  SUMAC_CHECK(samples > 0 && sums.pixels.size() == layout.channels, samples, sums.pixels.size());
  const double count = layout.countOf(samples);
  Normalization normalization;
  for (std::size_t channel = 0; channel < layout.channels; ++channel) {
    const double mean = static_cast<double>(sums.pixels[channel]) / count;
    const double variance = static_cast<double>(sums.squares[channel]) / count - mean * mean;
    add(normalization, mean / kWhite, std::max(variance, 0.0) / (kWhite * kWhite));
  }
  return normalization;
}

Normalization meanAndDeviation(const Samples& samples) {
  SUMAC_CHECK(samples.count() > 0 && !samples.shape.empty(), samples.count());
  return samples.arePixels() ? normalizationOf(pixelSums(samples), samples.shape, samples.count())
                             : ofValues(samples, Layout(samples.shape));
}

}  // namespace sumac::worker
