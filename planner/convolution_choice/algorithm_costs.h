#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "planner/convolution_choice/choice.h"
#include "planner/network/layer_list.h"

namespace sumac::planner {

/// What the modelled costs assume.
struct AlgorithmModel {
  double flops_per_second = 0;   // that every algorithm reaches: > 0
  std::int64_t images_held = 1;  // in the workspaces of im2col and Winograd at once
};

/// What the forward pass of a convolution of images with `batch` images costs by each algorithm
/// that can compute it, where nothing was measured: rough, since all reach the same FLOP/s here.
///
/// - "direct": 2 MAC FLOP an image, no workspace.
/// - "im2col": the same, 4 K K C oh ow bytes for each image held.
/// - "fft": transforms of h x w points, powers of two, h >= ih + K - 1 and w >= iw + K - 1:
///   8 X C F h (w/2 + 1) FLOP for the products and 2.5 n log2(n) for each of the X C + X F + C F
///   transforms of n = h w points; 8 h (w/2 + 1) (X C + X F + C F) bytes.
/// - "winograd", F(2x2, 3x3), for K = 3 and stride 1: 16/36 of the MACs. The workspace, which has
/// 16
///   values for each kernel and each tile of 2 x 2 outputs, is our own count.
///
/// None of these is from the text of Zou et al. 2017: the algorithms are those known at the time,
/// the counts are derived. With groups, C and F are those of a group, times the groups.
///
/// Fails with kInvalid if the layer is not a convolution of images, if a number is not positive,
/// or if a workspace exceeds 2^62 bytes.
Result<ConvolutionAlgorithms> modelledAlgorithms(const Layer& layer, std::int64_t batch,
                                                 const AlgorithmModel& model);

}  // namespace sumac::planner
