#pragma once

#include "common/kernels/kernels.h"
#include "worker/nn/compute_pool.h"
#include "worker/nn/engine.h"

namespace sumac::worker {

/// What a worker computes with. The references outlive it.
struct Compute {
  Kernels kernels;
  ComputePool& pool;
  Engine& engine;
};

}  // namespace sumac::worker
