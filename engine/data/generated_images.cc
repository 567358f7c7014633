#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/core/rng.h"
#include "engine/data/generated.h"
#include "job/document/data_limits.h"

namespace sumac::worker {
namespace {

constexpr std::uint64_t kPrototypes = kGeneratedDataStream;
constexpr std::uint64_t kTrainImages = kGeneratedDataStream + 1;
constexpr std::uint64_t kTestImages = kGeneratedDataStream + 2;

// Random values of a prototype along each side; what lies between is interpolated.
constexpr std::int64_t kGrid = 5;
// A sample moves by up to a fourteenth of a side: two pixels of 28.
constexpr std::int64_t kShiftOf = 14;
constexpr int kGray = 128;
// Contrast is 128 / 256 to 255 / 256; noise is up to kNoise on each side, small values more often.
constexpr int kLeastContrast = 128;
constexpr int kNoise = 96;
constexpr int kMostGenerated = 256;  // a label is a byte in files

struct Plane {
  std::int64_t rows;
  std::int64_t columns;

  std::int64_t size() const { return rows * columns; }
};

/// The last two extents; a shape with one extent has one row.
Plane planeOf(const model::Shape& shape) {
  return {shape.size() < 2 ? 1 : shape[shape.size() - 2], shape.back()};
}

/// Where `at` of `extent` lies on the grid, in 256ths of its step.
std::int64_t onGrid(std::int64_t at, std::int64_t extent) {
  return at * (kGrid - 1) * 256 / std::max<std::int64_t>(1, extent - 1);
}

/// The value at (u, v) in 256ths, from the four grid points around it.
std::uint8_t interpolate(std::span<const int> grid, std::int64_t u, std::int64_t v) {
  const std::int64_t row = std::min(u / 256, kGrid - 2);
  const std::int64_t column = std::min(v / 256, kGrid - 2);
  const std::int64_t down = u - 256 * row;
  const std::int64_t right = v - 256 * column;
  const auto point = [&](std::int64_t r, std::int64_t c) {
    return std::int64_t{grid[static_cast<std::size_t>(r * kGrid + c)]};
  };
  const std::int64_t upper = point(row, column) * (256 - right) + point(row, column + 1) * right;
  const std::int64_t lower =
      point(row + 1, column) * (256 - right) + point(row + 1, column + 1) * right;
  return static_cast<std::uint8_t>((upper * (256 - down) + lower * down) / 65536);
}

/// For all classes and channels, one after another.
std::vector<std::uint8_t> makePrototypes(std::uint64_t seed, std::int64_t planes, Plane plane) {
  const Rng rng(seed, kPrototypes);
  std::vector<std::uint8_t> prototypes;
  prototypes.reserve(static_cast<std::size_t>(planes * plane.size()));
  std::vector<int> grid(static_cast<std::size_t>(kGrid * kGrid));
  std::uint64_t drawn = 0;
  for (std::int64_t i = 0; i < planes; ++i) {
    for (int& value : grid)
      value = static_cast<int>(rng.bits(drawn++) >> 24U);
    for (std::int64_t row = 0; row < plane.rows; ++row) {
      for (std::int64_t column = 0; column < plane.columns; ++column) {
        prototypes.push_back(
            interpolate(grid, onGrid(row, plane.rows), onGrid(column, plane.columns)));
      }
    }
  }
  return prototypes;
}

/// The random bytes of one sample, sixteen per call of the generator.
class ByteStream {
 public:
  ByteStream(const Rng& rng, std::uint64_t first_block) : rng_(rng), block_(first_block) {}

  int next() {
    if (left_ == 0) {
      words_ = rng_.block(block_++);
      left_ = 16;
    }
    --left_;
    return static_cast<int>((words_[left_ / 4] >> (8 * (left_ % 4))) & 255U);
  }

 private:
  const Rng& rng_;  // outlives us
  std::uint64_t block_;
  std::array<std::uint32_t, 4> words_{};
  std::size_t left_ = 0;
};

/// In [-most, most].
std::int64_t shift(ByteStream& bytes, std::int64_t most) {
  return bytes.next() * (2 * most + 1) / 256 - most;
}

/// One sample from its class's prototype, channel after channel.
void drawSample(std::span<const std::uint8_t> prototype, Plane plane, ByteStream bytes,
                std::span<std::uint8_t> pixels) {
  const std::int64_t down = shift(bytes, plane.rows / kShiftOf);
  const std::int64_t right = shift(bytes, plane.columns / kShiftOf);
  const int contrast = kLeastContrast + bytes.next() / 2;
  std::size_t out = 0;
  for (std::int64_t channel = 0; out < pixels.size(); ++channel) {
    for (std::int64_t row = 0; row < plane.rows; ++row) {
      const std::int64_t from_row = std::clamp<std::int64_t>(row - down, 0, plane.rows - 1);
      for (std::int64_t column = 0; column < plane.columns; ++column) {
        const std::int64_t from = std::clamp<std::int64_t>(column - right, 0, plane.columns - 1);
        const auto at = channel * plane.size() + from_row * plane.columns + from;
        const int value = prototype[static_cast<std::size_t>(at)];
        const int noise = (bytes.next() + bytes.next() - 255) * kNoise / 256;
        const int pixel = kGray + (value - kGray) * contrast / 256 + noise;
        pixels[out++] = static_cast<std::uint8_t>(std::clamp(pixel, 0, 255));
      }
    }
  }
}

Samples drawSamples(const ImageRecipe& recipe, std::span<const std::uint8_t> prototypes,
                    std::int64_t count, std::uint64_t stream) {
  Samples samples;
  samples.shape = recipe.shape;
  const Plane plane = planeOf(recipe.shape);
  const auto size = static_cast<std::size_t>(model::count(recipe.shape));
  samples.pixels.resize(static_cast<std::size_t>(count) * size);
  const Rng rng(recipe.seed, stream);
  // Two bytes per pixel and three for the whole sample.
  const std::uint64_t blocks = (2 * size + 3 + 15) / 16;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto label = static_cast<std::uint8_t>(i % recipe.classes);
    samples.labels.push_back(label);
    drawSample(prototypes.subspan(label * size, size), plane, ByteStream(rng, at * blocks),
               std::span(samples.pixels).subspan(at * size, size));
  }
  return samples;
}

Error refusal(const std::string& what) {
  return Error{ErrorCode::kInvalid, "cannot generate images: " + what};
}

Result<void> check(const ImageRecipe& recipe) {
  constexpr std::int64_t kMaxExtent = 65536;
  const auto& shape = recipe.shape;
  if (shape.empty() || shape.size() > 3 ||
      std::any_of(shape.begin(), shape.end(),
                  [](std::int64_t extent) { return extent < 1 || extent > kMaxExtent; })) {
    return refusal("found the shape " + model::toString(shape) +
                   ", expected channels x rows x columns, or less, each from 1 to 65536");
  }
  if (recipe.classes < 2 || recipe.classes > kMostGenerated) {
    return refusal("found " + std::to_string(recipe.classes) + " classes, must be from 2 to 256");
  }
  if (recipe.train_samples < 1 || recipe.test_samples < 1) {
    return refusal("found " + std::to_string(recipe.train_samples) + " training and " +
                   std::to_string(recipe.test_samples) + " test samples, must be at least 1 each");
  }
  const auto checked = job::checkGenerated(std::max(recipe.train_samples, recipe.test_samples),
                                           shape, recipe.classes);
  return checked ? Result<void>() : refusal(checked.error().message);
}

}  // namespace

Result<Images> generateImages(const ImageRecipe& recipe) {
  if (auto checked = check(recipe); !checked) return checked.error();
  const Plane plane = planeOf(recipe.shape);
  const std::int64_t planes = recipe.classes * model::count(recipe.shape) / plane.size();
  const auto prototypes = makePrototypes(recipe.seed, planes, plane);
  Images images;
  images.train = drawSamples(recipe, prototypes, recipe.train_samples, kTrainImages);
  images.test = drawSamples(recipe, prototypes, recipe.test_samples, kTestImages);
  images.classes = recipe.classes;
  return images;
}

}  // namespace sumac::worker
