#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/packed/packed_file.h"
#include "job/model/network.h"

namespace sumac::worker {

/// The largest number of classes that data may have: labels have 16 bits.
inline constexpr int kMaxClasses = 65'536;

/// What is subtracted from each value, and what divides it then: one of each for every channel of
/// an image or feature of a table. Empty: values stay as they are. Deviations are above zero.
struct Normalization {
  std::vector<float> mean;
  std::vector<float> deviation;

  bool isEmpty() const { return mean.empty(); }
};

/// The least and the largest of some values, and their mean; pixels are from 0 to 255.
struct ValueRange {
  double least = 0;
  double largest = 0;
  double mean = 0;
};

/// Samples that stay in a packed file.
struct PackedSamples {
  std::shared_ptr<const PackedFile> file = nullptr;  // null: they are in memory
  bool are_pixels = true;
  std::uint64_t first = 0;                 // of the file, where `places` are empty
  std::vector<std::uint32_t> places = {};  // in the file, of each sample
  std::optional<ValueRange> range = {};    // where it is known
};

/// Labelled samples in memory or in a packed file: images, vectors, or series. Either `pixels` or
/// `values` is empty, both are of a packed file. Pixels are kept as bytes; gather() scales them to
/// [0, 1], and normalizes.
struct Samples {
  model::Shape shape;                     // of one sample: {1, 28, 28}
  std::vector<std::uint8_t> pixels = {};  // of images
  std::vector<float> values = {};         // of all else; finite
  std::vector<std::uint16_t> labels = {};
  Normalization normalization = {};
  PackedSamples packed = {};

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
  bool arePixels() const { return packed.file ? packed.are_pixels : values.empty(); }
};

/// A data set of labelled samples. All splits have one shape and one normalization, and labels
/// below `classes`. One of `validation` and `test` may have no samples.
struct Images {
  Samples train;
  Samples test;
  int classes = 0;
  std::vector<std::string> class_names = {};  // empty if the files have no names
  Samples validation = {};
};

/// The pixels or the values of a sample: a view of what is in memory, else of `room`, which they
/// are read into. Requires pixels, or values, and room of the shape's size.
///
/// Failure: throws ThrownError where a packed file is damaged or its storage fails, as do all
/// functions that read samples.
std::span<const std::uint8_t> pixelsOf(const Samples& samples, std::int64_t index,
                                       std::span<std::uint8_t> room);
std::span<const float> valuesOf(const Samples& samples, std::int64_t index, std::span<float> room);

/// Copies the samples at `indices` as floats, and their labels. A pixel p is float(p) / 255; then
/// the normalization makes (x - mean) / deviation of each value, by its channel or feature.
/// Allocates nothing. Requires indices below samples.count(), and outputs of exactly their size.
void gather(const Samples& samples, std::span<const std::int64_t> indices, std::span<float> inputs,
            std::span<std::int32_t> labels);

/// The same for the labels.size() samples from `first` on.
void gatherRange(const Samples& samples, std::int64_t first, std::span<float> inputs,
                 std::span<std::int32_t> labels);

/// What gather() makes of the pixels of one sample. Requires as many of both. The pixels may be the
/// last bytes of `inputs`.
void toInputs(std::span<const std::uint8_t> pixels, const Normalization& normalization,
              std::span<float> inputs);

}  // namespace sumac::worker
