#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "planner/network/layer_list.h"

namespace sumac::planner::papers {

// The balance of data parallelism, Das et al. 2016 (arXiv 1602.06709), confirmed by a review of
// 2024. For a layer with ifm and ofm feature maps, on one of N nodes with MB / N points each:
//
//   Comp = 3 x 2 MB/N ifm ofm kw kh out_w out_h        FLOP a step
//   Comm = 4 ifm ofm kw kh (2 - overlap)               bytes a step, values of 32 bits
//   Comp / Comm = 1.5 out_w out_h MB/N / (2 - overlap)  FLOP a byte
//
// `overlap` in [0, 1] says how far sending gradients and receiving weights run at the same time; 1
// is full duplex. Kernel, stride and feature maps cancel out.
//
// All functions are pure and fail with kInvalid on numbers that cannot be.

/// FLOP/s over bytes/s of a node: what the balance of a layer is compared with.
Result<double> systemFlopsPerByte(double flops_per_second, double link_bytes_per_second);

/// Comp / Comm of the network's convolutions for one point a node: 1.5 avg(out_w out_h) / (2 -
/// overlap), the average weighted by weights. Fails if there is no convolution with weights.
///
/// The paper's own aggregates for OverFeat-FAST and VGG-A, known from memory (208 and 1456), could
/// not be reproduced from the layers' shapes.
Result<double> flopsPerByteAndPoint(const LayerList& list, double overlap);

/// How far data parallelism scales.
struct DataParallelLimit {
  std::int64_t points_per_node = 1;  // MB_node,min: at least so many keep the node busy
  std::int64_t nodes = 1;            // N_max = ceil(MB / MB_node,min): at most so many do
};

/// MB_node,min = ceil(R_system / Comp/Comm of one point). Requires the ratios of the functions
/// above.
Result<DataParallelLimit> dataParallelLimit(double flops_per_byte_and_point,
                                            double system_flops_per_byte, std::int64_t batch);

}  // namespace sumac::planner::papers
