#include "engine/data/samples.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/core/check.h"
#include "base/core/thrown_error.h"

namespace sumac::worker {
namespace {

void checkSizes(const Samples& samples, std::span<float> inputs, std::span<std::int32_t> labels) {
  const auto size = static_cast<std::size_t>(model::count(samples.shape));
  SUMAC_CHECK(inputs.size() == labels.size() * size, inputs.size(), labels.size(), size);
}

constexpr std::size_t kPiece = 16;

/// By way of values of its own, which cannot be the pixels, so that the compiler divides vectors: a
/// third of the time that a table takes.
template <std::size_t kPixels>
void scale(const std::uint8_t* pixels, float* out) {
  std::array<float, kPixels> scaled;
  for (std::size_t i = 0; i < kPixels; ++i)
    scaled[i] = static_cast<float>(pixels[i]) / 255.0F;
  std::ranges::copy(scaled, out);
}

/// From the first to the last, so that a pixel may lie where its value or a later one is written:
/// pixel i of n in the last n bytes is at 3n + i, and what was written before it ends at 4i.
void scalePixels(std::span<const std::uint8_t> pixels, std::span<float> input) {
  std::size_t begin = 0;
  for (; begin + kPiece <= pixels.size(); begin += kPiece)
    scale<kPiece>(&pixels[begin], &input[begin]);
  for (; begin < pixels.size(); ++begin)
    scale<1>(&pixels[begin], &input[begin]);
}

void normalize(const Normalization& normalization, std::span<float> input) {
  const std::size_t channels = normalization.mean.size();
  const std::size_t size = input.size() / channels;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const float mean = normalization.mean[channel];
    const float deviation = normalization.deviation[channel];
    for (float& value : input.subspan(channel * size, size))
      value = (value - mean) / deviation;
  }
}

/// Room for a byte of each value, which toInputs() may read from.
std::span<std::uint8_t> lastBytesOf(std::span<float> input) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(input.data());
  return {bytes + input.size_bytes() - input.size(), input.size()};
}

void readPacked(const Samples& samples, std::int64_t index, std::span<std::byte> room) {
  const PackedSamples& packed = samples.packed;
  const auto at = static_cast<std::size_t>(index);
  const std::uint64_t place = packed.places.empty() ? packed.first + at : packed.places[at];
  if (const auto read = packed.file->read(place, room); !read) throw ThrownError(read.error());
}

void copyOne(const Samples& samples, std::int64_t index, std::span<float> input,
             std::int32_t& label) {
  SUMAC_CHECK(index >= 0 && index < samples.count(), index, samples.count());
  label = samples.labels[static_cast<std::size_t>(index)];
  if (samples.arePixels()) {
    const auto room = lastBytesOf(input);
    return toInputs(pixelsOf(samples, index, room), samples.normalization, input);
  }
  const auto values = valuesOf(samples, index, input);
  if (values.data() != input.data()) std::ranges::copy(values, input.begin());
  if (!samples.normalization.isEmpty()) normalize(samples.normalization, input);
}

}  // namespace

std::span<const std::uint8_t> pixelsOf(const Samples& samples, std::int64_t index,
                                       std::span<std::uint8_t> room) {
  SUMAC_CHECK(index >= 0 && index < samples.count() && samples.arePixels(), index);
  if (!samples.packed.file)
    return std::span(samples.pixels)
        .subspan(static_cast<std::size_t>(index) * room.size(), room.size());
  readPacked(samples, index, std::as_writable_bytes(room));
  return room;
}

std::span<const float> valuesOf(const Samples& samples, std::int64_t index, std::span<float> room) {
  SUMAC_CHECK(index >= 0 && index < samples.count() && !samples.arePixels(), index);
  if (!samples.packed.file)
    return std::span(samples.values)
        .subspan(static_cast<std::size_t>(index) * room.size(), room.size());
  readPacked(samples, index, std::as_writable_bytes(room));
  return room;
}

void gather(const Samples& samples, std::span<const std::int64_t> indices, std::span<float> inputs,
            std::span<std::int32_t> labels) {
  checkSizes(samples, inputs, labels);
  SUMAC_CHECK(labels.size() == indices.size(), labels.size(), indices.size());
  const std::size_t size = inputs.size() / std::max<std::size_t>(1, labels.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    copyOne(samples, indices[i], inputs.subspan(i * size, size), labels[i]);
  }
}

void toInputs(std::span<const std::uint8_t> pixels, const Normalization& normalization,
              std::span<float> inputs) {
  SUMAC_CHECK(pixels.size() == inputs.size(), pixels.size(), inputs.size());
  scalePixels(pixels, inputs);
  if (!normalization.isEmpty()) normalize(normalization, inputs);
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
