#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "job/model/network.h"

namespace sumac::worker {

/// Labelled images in memory. Pixels are kept as bytes; gather() scales them to [0, 1].
struct Samples {
  model::Shape shape;  // of one sample: {1, 28, 28}
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

/// A data set of images. Both splits have samples, all of one shape, with labels below `classes`.
struct Images {
  Samples train;
  Samples test;
  int classes = 0;
  std::vector<std::string> class_names;  // empty if the files have no names
};

/// Copies the samples at `indices` as floats (a pixel p is float(p) / 255), and their labels.
/// Allocates nothing. Requires indices below samples.count(), and outputs of exactly their size.
void gather(const Samples& samples, std::span<const std::int64_t> indices, std::span<float> inputs,
            std::span<std::int32_t> labels);

/// The same for the labels.size() samples from `first` on.
void gatherRange(const Samples& samples, std::int64_t first, std::span<float> inputs,
                 std::span<std::int32_t> labels);

}  // namespace sumac::worker
