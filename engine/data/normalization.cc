#include "engine/data/normalization.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
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
};

void add(Normalization& normalization, double mean, double variance) {
  const auto deviation = static_cast<float>(std::sqrt(variance));
  normalization.mean.push_back(static_cast<float>(mean));
  normalization.deviation.push_back(deviation > 0 ? deviation : 1.0F);
}

Normalization ofPixels(const Samples& samples, const Layout& layout) {
  constexpr double kWhite = 255;
  struct Sums {
    std::uint64_t values = 0;  // below 2^31 pixels, so below 2^47 even of squares
    std::uint64_t squares = 0;
  };
  std::vector<Sums> sums(layout.channels);
  const std::span<const std::uint8_t> pixels(samples.pixels);
  for (std::size_t at = 0, channel = 0; at < pixels.size(); at += layout.size) {
    Sums& sum = sums[channel];
    for (const std::uint64_t pixel : pixels.subspan(at, layout.size)) {
      sum.values += pixel;
      sum.squares += pixel * pixel;
    }
    channel = channel + 1 == layout.channels ? 0 : channel + 1;
  }
  Normalization normalization;
  const auto count = static_cast<double>(pixels.size()) / static_cast<double>(layout.channels);
  for (const Sums& sum : sums) {
    const double mean = static_cast<double>(sum.values) / count;
    const double variance = static_cast<double>(sum.squares) / count - mean * mean;
    add(normalization, mean / kWhite, std::max(variance, 0.0) / (kWhite * kWhite));
  }
  return normalization;
}

Normalization ofValues(const Samples& samples, const Layout& layout) {
  const std::span<const float> values(samples.values);
  const auto count = static_cast<double>(values.size()) / static_cast<double>(layout.channels);
  Normalization normalization;
  for (std::size_t channel = 0; channel < layout.channels; ++channel) {
    const auto sumOf = [&](auto term) {
      double sum = 0;
      for (std::size_t at = channel * layout.size; at < values.size();
           at += layout.channels * layout.size) {
        for (const double value : values.subspan(at, layout.size))
          sum += term(value);
      }
      return sum;
    };
    const double mean = sumOf([](double value) { return value; }) / count;
    const double squares = sumOf([mean](double value) { return (value - mean) * (value - mean); });
    add(normalization, mean, squares / count);
  }
  return normalization;
}

}  // namespace

Normalization meanAndDeviation(const Samples& samples) {
  SUMAC_CHECK(samples.count() > 0 && !samples.shape.empty(), samples.count());
  const Layout layout(samples.shape);
  return samples.values.empty() ? ofPixels(samples, layout) : ofValues(samples, layout);
}

}  // namespace sumac::worker
