#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "planner/network/layer_list.h"

namespace sumac::planner {

/// How often the model counts what. The defaults are our reading of footnote 2 of Zou et al. 2017:
/// memory holds the parameters, the gradients of a training instance and the aggregated gradients.
/// Whether gradients of feature maps count is not stated there.
struct MemoryCopies {
  std::int64_t parameters = 3;    // 4 with momentum
  std::int64_t feature_maps = 1;  // an engine that keeps their gradients needs 2
};

/// What training takes on one device. In bytes, values of 32 bits.
struct MemoryUse {
  std::int64_t feature_map_bytes_per_sample = 0;  // M_FM(X) / X
  std::int64_t convolution_parameter_bytes = 0;   // M_MP
  std::int64_t classifier_parameter_bytes = 0;    // M_C

  std::int64_t parameterBytes() const {
    return convolution_parameter_bytes + classifier_parameter_bytes;
  }
};

/// The memory model of Zou et al. 2017 (arXiv 1709.06622), from memory except for its footnote 2:
///
///   M_FM(X) = 4 X sum_i B_i H_i D_i          feature maps, the input (i = 0) included
///   M_MP    = 4 copies sum F_i F_i D_i-1 D_i  parameters of convolutions
///   M_C     = 4 copies sum L_j L_j+1          parameters of dense layers
///
/// Only weights count, as in the formulas; biases and normalisation add less than a percent in
/// published networks. Activations work in place. Our additions, for networks that the paper does
/// not treat: outputs of normalisation, embedding and recurrent layers are feature maps, and of
/// dense layers that each time step goes through; weights of embedding and recurrent layers count
/// as the classifier's.
///
/// Fails with kInvalid if the list is not right (checkLayers()), a copy is below 1, or a sum is too
/// large.
Result<MemoryUse> memoryUse(const LayerList& list, MemoryCopies copies = {});

/// M_bound = M_GPU - M_FM - M_MP - M_C: the bytes that are left for workspaces at this mini-batch
/// size. Fails with kInvalid if it is negative; the message says by how much.
Result<std::int64_t> workspaceBound(const MemoryUse& use, std::int64_t device_bytes,
                                    std::int64_t batch);

/// X_max = floor((M_GPU - M_MP - M_C - smallest workspaces) / (4 sum B_i H_i D_i)). Fails with
/// kInvalid if not even one sample fits; the message says what that would take.
Result<std::int64_t> largestBatch(const MemoryUse& use, std::int64_t device_bytes,
                                  std::int64_t workspace_bytes = 0);

}  // namespace sumac::planner
