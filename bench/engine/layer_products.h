#pragma once

#include <cstddef>
#include <string>

#include "base/core/result.h"

namespace sumac::bench {

/// One convolution of 3 x 3 taps, stride 1, as many outputs as inputs.
struct LayerOptions {
  std::size_t channels = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t batch = 32;  // whole blocks of samples
  std::string kernels;     // the best variant to use, empty for the machine's
};

/// GFLOP/s of its three products on one thread, as the best of many runs.
struct LayerRates {
  double forward = 0;
  double weight_gradient = 0;
  double input_gradient = 0;
};

/// "64x56x56" to channels, rows, columns.
Result<LayerOptions> layerFromText(const std::string& text);

/// Measures the products by turns for `seconds`. Fails as Kernels::load() does.
Result<LayerRates> measureLayer(const LayerOptions& options, double seconds);

}  // namespace sumac::bench
