#include <algorithm>

#include "common/kernels/direct_convolution.h"
#include "common/kernels/functions.h"

namespace sumac::kernels {
namespace {

struct Range {
  std::size_t begin;
  std::size_t end;
};

// The outputs along one axis whose input at kernel place `offset` lies inside the image.
Range inside(std::size_t offset, std::size_t extent, std::size_t outputs, const SumacConv2d& s) {
  const std::size_t begin = offset < s.padding ? (s.padding - offset + s.stride - 1) / s.stride : 0;
  const std::size_t last = extent + s.padding;
  const std::size_t end = last > offset ? (last - offset + s.stride - 1) / s.stride : 0;
  return {std::min(begin, outputs), std::min(std::max(begin, end), outputs)};
}

std::size_t patch(const SumacConv2d& s) {
  return s.channels * s.kernel * s.kernel;
}
std::size_t pixels(const SumacConv2d& s) {
  return s.out_rows * s.out_columns;
}

// One row of the patches: for every output pixel, the input at one (channel, row, column) of its
// window.
void gatherRow(const SumacConv2d& s, float* out, const float* plane, std::size_t ky,
               std::size_t kx) {
  const Range rows = inside(ky, s.rows, s.out_rows, s);
  const Range columns = inside(kx, s.columns, s.out_columns, s);
  std::fill_n(out, rows.begin * s.out_columns, 0.0F);
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    float* const line = out + row * s.out_columns;
    const float* const in = plane + (row * s.stride + ky - s.padding) * s.columns;
    std::fill_n(line, columns.begin, 0.0F);
    if (s.stride == 1) {
      std::copy_n(in + columns.begin + kx - s.padding, columns.end - columns.begin,
                  line + columns.begin);
    } else {
      for (std::size_t column = columns.begin; column < columns.end; ++column) {
        line[column] = in[column * s.stride + kx - s.padding];
      }
    }
    std::fill(line + columns.end, line + s.out_columns, 0.0F);
  }
  std::fill(out + rows.end * s.out_columns, out + pixels(s), 0.0F);
}

// The reverse: adds each pixel's value to the input it came from.
void scatterRow(const SumacConv2d& s, float* plane, const float* values, std::size_t ky,
                std::size_t kx) {
  const Range rows = inside(ky, s.rows, s.out_rows, s);
  const Range columns = inside(kx, s.columns, s.out_columns, s);
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    const float* const line = values + row * s.out_columns;
    float* const out = plane + (row * s.stride + ky - s.padding) * s.columns;
    if (s.stride == 1) {
      float* const target = out + columns.begin + kx - s.padding;
      add(target, target, line + columns.begin, columns.end - columns.begin);
    } else {
      for (std::size_t column = columns.begin; column < columns.end; ++column) {
        out[column * s.stride + kx - s.padding] += line[column];
      }
    }
  }
}

void imageToPatches(const SumacConv2d& s, float* patches, const float* image) {
  for (std::size_t channel = 0; channel < s.channels; ++channel) {
    const float* const plane = image + channel * s.rows * s.columns;
    for (std::size_t ky = 0; ky < s.kernel; ++ky) {
      for (std::size_t kx = 0; kx < s.kernel; ++kx) {
        gatherRow(s, patches, plane, ky, kx);
        patches += pixels(s);
      }
    }
  }
}

void patchesToImage(const SumacConv2d& s, float* image, const float* patches) {
  std::fill_n(image, s.channels * s.rows * s.columns, 0.0F);
  for (std::size_t channel = 0; channel < s.channels; ++channel) {
    float* const plane = image + channel * s.rows * s.columns;
    for (std::size_t ky = 0; ky < s.kernel; ++ky) {
      for (std::size_t kx = 0; kx < s.kernel; ++kx) {
        scatterRow(s, plane, patches, ky, kx);
        patches += pixels(s);
      }
    }
  }
}

constexpr std::size_t kLanes = 16;  // of every variant

float sum(const float* x, std::size_t n) {
  float lanes[kLanes] = {};
  const std::size_t whole = n / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += x[i + lane];
  }
  for (std::size_t i = whole; i < n; ++i)
    lanes[i - whole] += x[i];
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane)
      lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

void biasGradient(const SumacConv2d& s, float* dbias, const float* dy, std::size_t samples) {
  std::fill_n(dbias, s.outputs, 0.0F);
  for (std::size_t i = 0; i < samples * s.outputs; ++i) {
    dbias[i % s.outputs] += sum(dy + i * pixels(s), pixels(s));
  }
}

}  // namespace

std::size_t conv2dWorkspace(const SumacConv2d* shape) {
  if (direct::suits(*shape)) return direct::workspace(*shape);
  return patch(*shape) * pixels(*shape);
}

void conv2dForward(const SumacConv2d* shape, float* y, const float* x, const float* w,
                   const float* bias, float* workspace, std::size_t samples) {
  const SumacConv2d& s = *shape;
  if (direct::suits(s)) {
    direct::forward(s, y, x, w, bias, workspace, samples);
    return;
  }
  for (std::size_t sample = 0; sample < samples; ++sample) {
    imageToPatches(s, workspace, x);
    for (std::size_t output = 0; output < s.outputs; ++output) {
      std::fill_n(y + output * pixels(s), pixels(s), bias[output]);
    }
    const SumacGemm product{s.outputs, pixels(s), patch(s), w, patch(s),  0,
                            workspace, pixels(s), 0,        y, pixels(s), 1};
    gemm(&product);
    x += s.channels * s.rows * s.columns;
    y += s.outputs * pixels(s);
  }
}

void conv2dBackwardWeights(const SumacConv2d* shape, float* dw, float* dbias, const float* x,
                           const float* dy, float* workspace, std::size_t samples) {
  const SumacConv2d& s = *shape;
  biasGradient(s, dbias, dy, samples);
  if (direct::suits(s)) {
    direct::backwardWeights(s, dw, x, dy, workspace, samples);
    return;
  }
  for (std::size_t sample = 0; sample < samples; ++sample) {
    imageToPatches(s, workspace, x);
    const SumacGemm product{s.outputs, patch(s),  pixels(s), dy, pixels(s), 0,
                            workspace, pixels(s), 1,         dw, patch(s),  sample > 0 ? 1 : 0};
    gemm(&product);
    x += s.channels * s.rows * s.columns;
    dy += s.outputs * pixels(s);
  }
}

void conv2dBackwardData(const SumacConv2d* shape, float* dx, const float* dy, const float* w,
                        float* workspace, std::size_t samples) {
  const SumacConv2d& s = *shape;
  if (direct::suits(s)) {
    direct::backwardData(s, dx, dy, w, workspace, samples);
    return;
  }
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const SumacGemm product{patch(s), pixels(s), s.outputs, w,         patch(s),  1,
                            dy,       pixels(s), 0,         workspace, pixels(s), 0};
    gemm(&product);
    patchesToImage(s, dx, workspace);
    dx += s.channels * s.rows * s.columns;
    dy += s.outputs * pixels(s);
  }
}

}  // namespace sumac::kernels
