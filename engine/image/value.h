#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/nn/arena.h"
#include "engine/nn/engine.h"
#include "engine/nn/weights_in_use.h"
#include "job/model/network.h"
#include "kernels/kernels.h"

namespace sumac::worker::image {

/// What flows between two operations: images or vectors in the lanes layout of kernel_table.h,
/// block after block. A vector is an image of one row.
struct Value {
  SumacImage image{};
  Arena::Piece data = 0;

  std::size_t pixels() const { return image.rows * image.columns; }
  /// Values of one sample.
  std::size_t count() const { return image.channels * pixels(); }
  /// Values of one sample with the border.
  std::size_t stored() const {
    return image.channels * (image.rows + 2 * image.border) * (image.columns + 2 * image.border);
  }
};

/// What the engine's caller asks for, in one call.
struct Run {
  std::size_t images = 0;
  std::size_t blocks = 0;
  bool training = false;
  const float* weights = nullptr;
  std::uint64_t weights_version = 0;  // see WeightsInUse
  float* gradient = nullptr;
  bool accumulate = false;  // gradient += the finished values
  GradientObserver* observer = nullptr;
  std::uint64_t step = 0;
  std::uint64_t first_sample = 0;
  const float* statistics = nullptr;
  float* next_statistics = nullptr;

  /// These values of the gradient are written no more.
  void announce(Extent values) const {
    if (observer != nullptr && values.count > 0) observer->onFinal(values.first, values.count);
  }
};

}  // namespace sumac::worker::image
