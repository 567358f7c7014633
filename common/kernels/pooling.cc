#include <algorithm>
#include <type_traits>

#include "common/kernels/functions.h"
#include "common/kernels/loops.h"

namespace sumac::kernels {
namespace {

// One row of outputs: the greatest value of each window and its place, window place after window
// place for all columns, so that the loop over them becomes vector code without branches. The first
// of equal values wins; NaN counts as the greatest, so that a training that diverged stays visible.
template <typename Stride>
void poolRow(const SumacMaxPool& shape, Stride stride, float* y, std::int32_t* argmax,
             const float* plane, std::size_t first) {
  for (std::size_t column = 0; column < shape.out_columns; ++column) {
    y[column] = plane[first + column * stride];
    argmax[column] = static_cast<std::int32_t>(first + column * stride);
  }
  for (std::size_t i = 1; i < shape.kernel * shape.kernel; ++i) {
    const std::size_t place = first + i / shape.kernel * shape.columns + i % shape.kernel;
    const float* const x = plane + place;
    auto here = static_cast<std::int32_t>(place);
    SUMAC_INDEPENDENT
    for (std::size_t column = 0; column < shape.out_columns; ++column) {
      const float value = x[column * stride];
      const float best = y[column];
      const std::int32_t best_place = argmax[column];
      const bool takes = (value > best) | (value != value);
      y[column] = takes ? value : best;
      argmax[column] = takes ? here : best_place;
      here += static_cast<std::int32_t>(stride);
    }
  }
}

}  // namespace

void maxPool(const SumacMaxPool* shape, float* y, std::int32_t* argmax, const float* x) {
  constexpr std::integral_constant<std::size_t, 2> kTwo;
  for (std::size_t plane = 0; plane < shape->planes; ++plane) {
    for (std::size_t row = 0; row < shape->out_rows; ++row) {
      const std::size_t first = row * shape->stride * shape->columns;
      if (shape->stride == kTwo) {
        poolRow(*shape, kTwo, y, argmax, x, first);
      } else {
        poolRow(*shape, shape->stride, y, argmax, x, first);
      }
      y += shape->out_columns;
      argmax += shape->out_columns;
    }
    x += shape->rows * shape->columns;
  }
}

void maxPoolBackward(const SumacMaxPool* shape, float* dx, const float* dy,
                     const std::int32_t* argmax) {
  const std::size_t in_plane = shape->rows * shape->columns;
  const std::size_t out_plane = shape->out_rows * shape->out_columns;
  std::fill_n(dx, shape->planes * in_plane, 0.0F);
  for (std::size_t plane = 0; plane < shape->planes; ++plane) {
    for (std::size_t i = 0; i < out_plane; ++i)
      dx[*argmax++] += *dy++;
    dx += in_plane;
  }
}

}  // namespace sumac::kernels
