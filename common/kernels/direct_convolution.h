#pragma once

#include <cstddef>

#include "common/kernels/table.h"

// Convolutions of stride 1 without a copy of every window: vectors lie along a row of the image,
// which is copied once with its border of zeros. As conv2d* in table.h otherwise.
namespace sumac::kernels::direct {

/// Whether the shape is one that this way is made for.
bool suits(const SumacConv2d& shape);

std::size_t workspace(const SumacConv2d& shape);
void forward(const SumacConv2d& shape, float* y, const float* x, const float* w, const float* bias,
             float* workspace, std::size_t samples);
void backwardWeights(const SumacConv2d& shape, float* dw, const float* x, const float* dy,
                     float* workspace, std::size_t samples);
void backwardData(const SumacConv2d& shape, float* dx, const float* dy, const float* w,
                  float* workspace, std::size_t samples);

}  // namespace sumac::kernels::direct
