#include "worker/data/samples.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "common/base/check.h"

namespace sumac::worker {
namespace {

constexpr std::array<float, 256> makeScaled() {
  std::array<float, 256> scaled{};
  for (std::size_t pixel = 0; pixel < scaled.size(); ++pixel) {
    scaled[pixel] = static_cast<float>(pixel) / 255.0F;
  }
  return scaled;
}
constexpr std::array<float, 256> kScaled = makeScaled();

void checkSizes(const Samples& samples, std::span<float> inputs, std::span<std::int32_t> labels) {
  const auto size = static_cast<std::size_t>(model::count(samples.shape));
  SUMAC_CHECK(inputs.size() == labels.size() * size, inputs.size(), labels.size(), size);
}

void copyOne(const Samples& samples, std::int64_t index, std::span<float> input,
             std::int32_t& label) {
  SUMAC_CHECK(index >= 0 && index < samples.count(), index, samples.count());
  const auto at = static_cast<std::size_t>(index);
  const auto pixels = std::span(samples.pixels).subspan(at * input.size(), input.size());
  std::transform(pixels.begin(), pixels.end(), input.begin(),
                 [](std::uint8_t pixel) { return kScaled[pixel]; });
  label = samples.labels[at];
}

}  // namespace

void gather(const Samples& samples, std::span<const std::int64_t> indices, std::span<float> inputs,
            std::span<std::int32_t> labels) {
  checkSizes(samples, inputs, labels);
  SUMAC_CHECK(labels.size() == indices.size(), labels.size(), indices.size());
  const std::size_t size = inputs.size() / std::max<std::size_t>(1, labels.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    copyOne(samples, indices[i], inputs.subspan(i * size, size), labels[i]);
  }
}

void gatherRange(const Samples& samples, std::int64_t first, std::span<float> inputs,
                 std::span<std::int32_t> labels) {
  checkSizes(samples, inputs, labels);
  const std::size_t size = inputs.size() / std::max<std::size_t>(1, labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    copyOne(samples, first + static_cast<std::int64_t>(i), inputs.subspan(i * size, size),
            labels[i]);
  }
}

}  // namespace sumac::worker
