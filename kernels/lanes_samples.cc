#include <algorithm>

#include "kernels/functions.h"
#include "kernels/lanes.h"

namespace sumac::kernels {

void lanesFromSamples(const SumacImage* image, float* block, const float* samples, size_t count,
                      size_t channel) {
  const std::size_t size = image->channels * image->rows * image->columns;
  const float* from = samples + channel * image->rows * image->columns;
  float* to = block + lanes::originOf(*image) + channel * lanes::planeOf(*image);
  for (std::size_t row = 0; row < image->rows; ++row) {
    std::size_t column = 0;
    for (; column + kLanes <= image->columns; column += kLanes) {
      Vec rows[kLanes] = {};
      for (std::size_t lane = 0; lane < std::min(count, kLanes); ++lane)
        rows[lane] = load(from + lane * size + column);
      transpose(rows);
      for (std::size_t i = 0; i < kLanes; ++i)
        store(to + (column + i) * kLanes, rows[i]);
    }
    for (; column < image->columns; ++column) {
      Vec pixel{};
      for (std::size_t lane = 0; lane < std::min(count, kLanes); ++lane)
        pixel[lane] = from[lane * size + column];
      store(to + column * kLanes, pixel);
    }
    from += image->columns;
    to += lanes::rowOf(*image);
  }
}

}  // namespace sumac::kernels
